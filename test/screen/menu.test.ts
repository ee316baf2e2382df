import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { KeptMenu, menuView as view } from './kept-menu.ts';
import { ask, served, Watcher } from './watcher.ts';

async function staged(t: TestContext) {
  const screen = await served(t);
  const menu = new KeptMenu();
  const host = `127.0.0.1:${screen.port}`;
  const own = { host, origin: `http://${host}`, 'content-type': 'application/json' };
  const post = async (headers: Record<string, string>, body = '{}', method = 'POST') => {
    const response = await ask(screen.port, '/desk', headers, method, body);
    return { status: response.statusCode, text: (await response.toArray()).join('') };
  };
  return { screen, menu, own, post };
}

describe('the operator’s part of the screen', () => {
  test('is read again when somebody looks: who connects, and who sees the idle screen after a payment', async (t) => {
    const { screen, menu } = await staged(t);
    screen.equip(menu);
    screen.show({ scene: 'presentCard' });
    screen.show({ scene: 'idle' });
    assert.equal(menu.looks, 0);
    const watcher = await Watcher.open(screen.port);
    await watcher.views(2);
    assert.equal(menu.looks, 1);
    screen.show({ scene: 'presentCard' });
    assert.equal(menu.looks, 1);
    screen.show({ scene: 'idle' });
    assert.equal(menu.looks, 2);
  });

  test('nobody watches: neither its view nor that of a payment is made', async (t) => {
    const { screen, menu } = await staged(t);
    let read = 0;
    const counted = <T extends object>(value: T): T =>
      new Proxy(value, { ownKeys: (of) => (read++, Reflect.ownKeys(of)) });
    screen.equip(menu);
    menu.view = counted(view);
    menu.changes({});
    menu.view = counted(view);
    screen.show(counted({ scene: 'presentCard', code: 'https://pay.example/1' }));
    assert.equal(read, 0);
    await (await Watcher.open(screen.port)).views(2);
    assert.ok(read > 0);
  });

  test('is not there before there is a desk', async (t) => {
    const { own, post } = await staged(t);
    assert.equal((await post(own)).status, 404);
  });

  test('is asked by the own page alone', async (t) => {
    const { screen, menu, own, post } = await staged(t);
    screen.equip(menu);
    const { origin, ...silent } = own;
    assert.equal((await post(silent)).status, 403);
    assert.equal((await post({ ...own, origin: 'https://evil.example' })).status, 403);
    assert.equal((await post({ ...own, host: 'evil.example' })).status, 403);
    assert.equal((await post({ ...own, 'content-type': 'text/plain' })).status, 415);
    assert.equal((await post(own, '', 'GET')).status, 405);
    assert.equal((await post(own, ' '.repeat(5_000))).status, 413);
    assert.deepEqual(menu.asked, []);
    assert.deepEqual(await post(own, '{"kind":"look"}'), { status: 200, text: '{"heard":true}' });
    assert.equal((await post(own, '{')).status, 200);
    assert.deepEqual(menu.asked, [{ kind: 'look' }, undefined]);
    assert.ok(origin);
  });

  test('is told to who connects, and after every change, beside the views', async (t) => {
    const { screen, menu } = await staged(t);
    const early = await Watcher.open(screen.port);
    await early.views(1);
    screen.equip(menu);
    const [, reported] = await early.views(2);
    assert.deepEqual(reported, view);
    const late = await Watcher.open(screen.port);
    assert.deepEqual((await late.views(2))[1], view);
    const waiting = { reversals: 1, advices: 0, rejected: 0, unsendable: 0, batches: 0 };
    menu.changes({ waiting });
    for (const watcher of [early, late]) {
      assert.deepEqual((await watcher.views(3))[2], { ...view, waiting });
      assert.equal([...watcher.text.matchAll(/^event: desk$/gm)].length, 2);
    }
  });
});
