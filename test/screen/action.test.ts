import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import type { ScreenAction } from '../../src/payment/contracts/screen.ts';
import type { ScreenServer } from '../../src/screen/server.ts';
import { transaction } from './views.ts';
import { ask, served } from './watcher.ts';

interface Stage {
  readonly screen: ScreenServer;
  readonly actions: ScreenAction[];
  /** Posts as the page does, but for what `headers` says otherwise; undefined takes one away. */
  readonly post: (
    body: unknown,
    headers?: Record<string, string | undefined>,
  ) => Promise<{ status: number; reason?: string }>;
}

async function staged(t: TestContext): Promise<Stage> {
  const screen = await served(t);
  const actions: ScreenAction[] = [];
  screen.onAction((action) => actions.push(action));
  return {
    screen,
    actions,
    post: async (body, changed = {}) => {
      const host = `127.0.0.1:${screen.port}`;
      const wanted = { host, origin: `http://${host}`, 'content-type': 'application/json', ...changed };
      const headers = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
      const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      const response = await ask(screen.port, '/action', headers, 'POST', text);
      const answer = (await response.toArray()).join('');
      return { status: response.statusCode ?? 0, ...(answer === '' ? {} : JSON.parse(answer)) };
    },
  };
}

const kinds =
  'kind must be one of cancel, choose, wallet, account, tip, ownTip, option, tender, sign, signAgain, acceptSignature, signOnPaper';

const cancel = { kind: 'cancel', transaction };

describe('an action', () => {
  for (const action of [
    cancel,
    { kind: 'choose', mode: 'QR_SCAN', transaction },
    { kind: 'wallet', scheme: 'UPI_QR', transaction },
    { kind: 'account', account: 'SAVINGS', transaction },
    { kind: 'tip', amount: '3.00', transaction },
    { kind: 'ownTip', amount: '5', transaction },
    { kind: 'tender', amount: '50', transaction },
    {
      kind: 'sign',
      strokes: [
        [0, 0, 383, 127],
        [5, 5],
      ],
      transaction,
    },
    { kind: 'signAgain', transaction },
    { kind: 'acceptSignature', transaction },
    { kind: 'signOnPaper', transaction },
    { kind: 'tender', amount: '9999999999.99', transaction },
    { kind: 'tender', amount: '0.0005', transaction },
  ]) {
    test(`${JSON.stringify(action)} is heard`, async (t) => {
      const { post, actions } = await staged(t);
      assert.deepEqual(await post(action), { status: 204 });
      assert.deepEqual(actions, [action]);
    });
  }

  test('every listener hears it, until it has stopped listening', async (t) => {
    const { post, actions, screen } = await staged(t);
    const others: ScreenAction[] = [];
    const stop = screen.onAction((action) => others.push(action));
    await post(cancel);
    stop();
    await post({ ...cancel, transaction: 'another' });
    assert.deepEqual([actions.length, others.length], [2, 1]);
  });

  for (const [what, body, reason] of [
    ['no JSON', '{"kind":"cancel"', 'the body is not JSON'],
    ['nothing', '', 'the body is not JSON'],
    ['null', null, /.+/],
    ['a list', [cancel], /.+/],
    ['an unknown kind', { kind: 'approve', transaction }, kinds],
    ['no kind', { transaction }, kinds],
    ['a kind of every object', { kind: 'constructor', transaction }, /^kind must be/],
    ['no transaction', { kind: 'cancel' }, 'transaction must be a text'],
    ['an empty transaction', { kind: 'cancel', transaction: '' }, 'transaction must be an identifier'],
    ['a long transaction', { kind: 'cancel', transaction: 'x'.repeat(65) }, 'transaction must be an identifier'],
    ['a transaction with lines', { kind: 'cancel', transaction: 'x\n' }, 'transaction must be an identifier'],
    ['an unknown mode', { kind: 'choose', mode: 'CARDS', transaction }, /^mode must be one of CARD, /],
    ['an unknown wallet', { kind: 'wallet', scheme: 'VISA', transaction }, /^scheme must be one of ALIPAY, /],
    ['an unknown account', { kind: 'account', account: 'savings', transaction }, /^account must be one of SAVINGS, /],
    ['an amount that is a number', { kind: 'tender', amount: 50, transaction }, 'amount must be a text'],
    ['a negative amount', { kind: 'tender', amount: '-50', transaction }, /^amount must be digits/],
    ['an exponent', { kind: 'tender', amount: '5e3', transaction }, /^amount must be digits/],
    ['half an amount', { kind: 'tender', amount: '5.', transaction }, /^amount must be digits/],
    ['grouped digits', { kind: 'tender', amount: '1,000', transaction }, /^amount must be digits/],
    ['a long amount', { kind: 'tender', amount: '1'.repeat(13), transaction }, /^amount must be digits/],
    ['five decimals', { kind: 'tender', amount: '1.00000', transaction }, /^amount must be digits/],
    [
      'a signature beyond its field',
      { kind: 'sign', strokes: [[0, 0, 384, 4761]], transaction },
      /^strokes must be at/,
    ],
    ['a signature as text', { kind: 'sign', strokes: '4761', transaction }, /^strokes must be at most 64 arrays of x/],
    ['a signature without strokes', { kind: 'sign', strokes: [], transaction }, /^strokes must be at most 64 arrays/],
    ['no signature', { kind: 'sign', transaction }, /^strokes must be at most 64 arrays/],
    [
      'too many points',
      { kind: 'sign', strokes: [Array.from({ length: 2402 }, () => 1)], transaction },
      /with at most 1200 points$/,
    ],
    ['a field too many', { ...cancel, secret4761: '1' }, 'cancel has the fields kind, transaction and no other'],
    ['another kind’s field', { ...cancel, mode: 'CARD' }, 'cancel has the fields kind, transaction and no other'],
  ] as const) {
    test(`${what}: 400, with a reason that repeats nothing`, async (t) => {
      const { post, actions } = await staged(t);
      const answer = await post(body);
      assert.equal(answer.status, 400);
      if (typeof reason === 'string') assert.equal(answer.reason, reason);
      else assert.match(answer.reason ?? '', reason);
      assert.doesNotMatch(answer.reason ?? '', /4761|approve|VISA|savings|CARDS/);
      assert.deepEqual(actions, []);
    });
  }

  test('no UTF-8: 400', async (t) => {
    const { post, actions } = await staged(t);
    assert.equal((await post(Buffer.from([0x22, 0xff, 0x22]))).status, 400);
    assert.deepEqual(actions, []);
  });

  test('12288 bytes are taken, 12289 are not: 413', async (t) => {
    const { post, actions } = await staged(t);
    const text = JSON.stringify(cancel);
    assert.equal((await post(text.padEnd(12288))).status, 204);
    assert.equal((await post(text.padEnd(12289))).status, 413);
    assert.equal((await post(text.padEnd(500_000))).status, 413);
    assert.equal(actions.length, 1);
  });

  test('who sends without end is cut off', async (t) => {
    const { screen, actions } = await staged(t);
    const host = `127.0.0.1:${screen.port}`;
    const socket = net.connect(screen.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      `POST /action HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n\r\n`,
    );
    const chunk = Buffer.alloc(65_536, 0x20);
    let sent = 0;
    const more = () => {
      while (!socket.destroyed && sent++ < 1000 && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
    await closed;
    assert.ok(sent < 1000, `${sent} chunks were taken`);
    assert.deepEqual(actions, []);
  });

  test('a body that stops early presses nothing, and the page is served on', async (t) => {
    const { screen, actions, post } = await staged(t);
    const host = `127.0.0.1:${screen.port}`;
    const socket = net.connect(screen.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const head = `POST /action HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}Content-Length: 500\r\n\r\n${JSON.stringify(cancel)}`, () => socket.destroy());
    await once(socket, 'close');
    assert.equal((await post({ ...cancel, transaction: 'next' })).status, 204);
    assert.deepEqual(
      actions.map((action) => action.transaction),
      ['next'],
    );
  });
});

describe('nobody else presses a button', () => {
  for (const [what, headers, status] of [
    ['no Origin', { origin: undefined }, 403],
    ['a foreign Origin', { origin: 'https://evil.example' }, 403],
    ['an Origin of no page', { origin: 'null' }, 403],
    ['an empty Origin', { origin: '' }, 403],
    ['another page of this machine', { origin: 'http://127.0.0.1:1' }, 403],
    ['an Origin that starts well', { origin: 'http://127.0.0.1.evil.example' }, 403],
    ['a rebound name', { host: 'evil.example', origin: 'http://evil.example' }, 403],
    ['a Host that starts well', { host: '127.0.0.1.evil.example', origin: 'http://127.0.0.1.evil.example' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a form’s text', { 'content-type': 'text/plain' }, 415],
    ['a type that starts well', { 'content-type': 'application/jsonp' }, 415],
    ['no type', { 'content-type': undefined }, 415],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }, 415],
    ['gzip', { 'content-encoding': 'gzip' }, 415],
  ] as const) {
    test(`${what}: ${status}`, async (t) => {
      const { post, actions } = await staged(t);
      assert.equal((await post(cancel, headers)).status, status);
      assert.deepEqual(actions, []);
    });
  }

  test('its own page may, by address and by name, and with a charset', async (t) => {
    const { post, actions, screen } = await staged(t);
    const host = `localhost:${screen.port}`;
    assert.equal((await post(cancel, { host, origin: `http://${host}` })).status, 204);
    assert.equal((await post(cancel, { 'content-type': 'Application/JSON; charset=utf-8' })).status, 204);
    assert.equal(actions.length, 2);
  });

  test('no preflight of another page is granted', async (t) => {
    const { screen } = await staged(t);
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const response = await ask(screen.port, '/action', headers, 'OPTIONS');
    assert.equal(response.statusCode, 403);
    assert.equal(response.headers['access-control-allow-origin'], undefined);
  });

  test('only by POST', async (t) => {
    const { screen, actions } = await staged(t);
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await ask(screen.port, '/action', {}, method);
      assert.equal(response.statusCode, 405);
      assert.equal(response.headers.allow, 'POST');
    }
    assert.deepEqual(actions, []);
  });
});
