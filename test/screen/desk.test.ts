import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { KeptDesk, deskView as view } from './kept-desk.ts';
import { ask, served, Watcher } from './watcher.ts';

async function staged(t: TestContext) {
  const screen = await served(t);
  const desk = new KeptDesk();
  const host = `127.0.0.1:${screen.port}`;
  const own = { host, origin: `http://${host}`, 'content-type': 'application/json' };
  const post = async (headers: Record<string, string>, body = '{}', method = 'POST') => {
    const response = await ask(screen.port, '/desk', headers, method, body);
    return { status: response.statusCode, text: (await response.toArray()).join('') };
  };
  return { screen, desk, own, post };
}

describe('the operator’s part of the screen', () => {
  test('is read again when somebody looks: who connects, and who sees the idle screen after a payment', async (t) => {
    const { screen, desk } = await staged(t);
    screen.equip(desk);
    screen.show({ scene: 'presentCard' });
    screen.show({ scene: 'idle' });
    assert.equal(desk.looks, 0);
    const watcher = await Watcher.open(screen.port);
    await watcher.views(2);
    assert.equal(desk.looks, 1);
    screen.show({ scene: 'presentCard' });
    assert.equal(desk.looks, 1);
    screen.show({ scene: 'idle' });
    assert.equal(desk.looks, 2);
  });

  test('nobody watches: neither its view nor that of a payment is made', async (t) => {
    const { screen, desk } = await staged(t);
    let read = 0;
    const counted = <T extends object>(value: T): T =>
      new Proxy(value, { ownKeys: (of) => (read++, Reflect.ownKeys(of)) });
    screen.equip(desk);
    desk.view = counted(view);
    desk.changes({});
    desk.view = counted(view);
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
    const { screen, desk, own, post } = await staged(t);
    screen.equip(desk);
    const { origin, ...silent } = own;
    assert.equal((await post(silent)).status, 403);
    assert.equal((await post({ ...own, origin: 'https://evil.example' })).status, 403);
    assert.equal((await post({ ...own, host: 'evil.example' })).status, 403);
    assert.equal((await post({ ...own, 'content-type': 'text/plain' })).status, 415);
    assert.equal((await post(own, '', 'GET')).status, 405);
    assert.equal((await post(own, ' '.repeat(5_000))).status, 413);
    assert.deepEqual(desk.asked, []);
    assert.deepEqual(await post(own, '{"kind":"look"}'), { status: 200, text: '{"heard":true}' });
    assert.equal((await post(own, '{')).status, 200);
    assert.deepEqual(desk.asked, [{ kind: 'look' }, undefined]);
    assert.ok(origin);
  });

  test('is told to who connects, and after every change, beside the views', async (t) => {
    const { screen, desk } = await staged(t);
    const early = await Watcher.open(screen.port);
    await early.views(1);
    screen.equip(desk);
    const [, reported] = await early.views(2);
    assert.deepEqual(reported, view);
    const late = await Watcher.open(screen.port);
    assert.deepEqual((await late.views(2))[1], view);
    const waiting = { reversals: 1, advices: 0, rejected: 0, unsendable: 0, batches: 0 };
    desk.changes({ waiting });
    for (const watcher of [early, late]) {
      assert.deepEqual((await watcher.views(3))[2], { ...view, waiting });
      assert.equal([...watcher.text.matchAll(/^event: desk$/gm)].length, 2);
    }
  });
});
