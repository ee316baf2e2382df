import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock, systemRandom } from '../../../src/base/ports/clock.ts';
import { connectionLimits } from '../../../src/base/http/connections.ts';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { ecrSettings } from '../../../src/config/ecr-settings.ts';
import { openPosCalls } from '../../../src/pos/api/open-pos-calls.ts';
import { WaitingCalls } from '../../../src/pos/api/waiting-calls.ts';
import type { PosCalls } from '../../../src/pos/contracts/pos-calls.ts';
import { ecrProtocol } from '../../../src/pos/ecr/open-ecr.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';
import { terminalCapabilitiesOf } from '../../payment/transaction/terminal-capabilities.ts';
import { noCounter } from '../../support/no-counter.ts';
import { bare, collectTimes, noLists, noReports, noReprints, profiles, ScriptedTerminal, shop } from '../api/served.ts';
import { bodyOf, type Content, EcrClient, page, printedContent, replyOf, unseal } from './ecr-client.ts';
import { ScriptedCalls } from './scripted-calls.ts';

const key = 'poid-test-key-16';
const origin = 'https://pos.example';
const tls = selfSign(['127.0.0.1']);

interface OpenedOptions {
  readonly settings?: object;
  readonly calls?: PosCalls;
}

/** The protocol on a free port, over TLS. Closed when the test ends. */
async function opened(t: TestContext, { settings = {}, calls }: OpenedOptions = {}) {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-ecr-'));
  const scripted = new ScriptedCalls();
  const failures: unknown[] = [];
  const tills = [{ posId: 'POS-1', key }];
  const protocol = ecrProtocol({
    stateDir: dir,
    shopName: 'Harbour Tea House',
    access: { hostnames: ['till.example'], origins: [origin], networks: [] },
    server: { limits: connectionLimits },
    refuse: (sentence) => new Error(sentence),
    refuseAddress: (error) => new Error('no address', { cause: error }),
  });
  const open = await protocol.open({
    settings: ecrSettings.parse({ host: '127.0.0.1', port: 0, tills, ...settings }),
    calls: calls ?? scripted.calls,
    tls,
    clock: systemClock,
    random: systemRandom,
    onFailure: (error) => failures.push(error),
    boundary: { within: (_part, work) => work() },
  });
  t.after(async () => {
    await open.close();
    rmSync(dir, { recursive: true });
    assert.deepEqual(failures, []);
  });
  const client = new EcrClient(open.port ?? 0, key);
  return { open, client, scripted, dir };
}

const trade: Content = { func_type: 1001, amt: 30, channel: 'card_payment', out_trade_no: 'n-1' };
const body = bodyOf(trade, key, 'odoo');
const codeOf = ({ text }: { readonly text: string }) => replyOf(text).respcd;

test('the six calls of the page are answered in its form, `data` as a text of JSON', async (t) => {
  const { client, scripted } = await opened(t);
  const paid = await client.call('trade', printedContent('trade'));
  assert.deepEqual([paid.respcd, paid.respmsg, paid.resperr], ['6000', 'success', '']);
  const { syssn = '' } = paid.data ?? {};
  assert.deepEqual(
    [paid.data?.['mchntnm'], paid.data?.['txamt'], paid.data?.['chnlsn'], paid.data?.['sysdtm']],
    ['Harbour Tea House', '10000', '000123456789', '2026-11-29 09:00:00'],
  );
  const refunded = await client.call('cancel', { ...printedContent('cancel'), orderId: syssn });
  assert.deepEqual([refunded.respcd, refunded.data?.['txamt'], refunded.data?.['orig_syssn']], ['6000', '5', syssn]);
  const found = await client.call('query_transaction', { ...printedContent('query_transaction'), orderId: syssn });
  assert.deepEqual(
    [found.respcd, found.data?.['allow_refund_amt'], found.data?.['cardno']],
    ['6000', '9995', '476173******0119'],
  );
  const printed = await client.call('print_receipt', { ...printedContent('print_receipt'), orderId: syssn });
  assert.deepEqual([printed.respcd, printed.data], ['6000', undefined]);
  assert.equal((await client.call('transaction_info', printedContent('transaction_info'))).respcd, '6000');
  assert.equal((await client.call('cancel_request', printedContent('cancel_request'))).respcd, '6002');
  assert.deepEqual(page.calls.map(({ call }) => call).sort(), [
    'cancel',
    'cancel_request',
    'print_receipt',
    'query_transaction',
    'trade',
    'transaction_info',
  ]);
  const [first] = scripted.of('payment');
  assert.deepEqual(
    [first?.['forceAcquirer'], first?.['preferredInstrument'], first?.['posReference'], first?.['currency']],
    ['EDC', 'CARD', '456799999999', 'HKD'],
  );
});

test('a request that needs what ECR does not have is answered 4006, and nothing begins', async (t) => {
  const { client, scripted } = await opened(t);
  const wrong: [string, Content][] = [
    ['trade', { ...trade, func_type: 2001 }],
    ['trade', { ...trade, func_type: 1002 }],
    ['trade', { ...trade, tip_amt: 5 }],
    ['trade', { ...trade, txcurrcd: 'USD' }],
    ['trade', { ...trade, channel: 'eps' }],
    ['trade', { ...trade, channel: '' }],
    ['trade', { ...trade, amt: '' }],
    ['trade', { ...trade, amt: 0 }],
    ['trade', { ...trade, amt: -1 }],
    ['trade', { ...trade, amt: 30.001 }],
    ['trade', { ...trade, amt: 1e15 }],
    ['trade', { ...trade, amt: 'ten' }],
    ['trade', { ...trade, out_trade_no: 'x'.repeat(65) }],
    ['trade', { ...trade, out_trade_no: 'a\nb' }],
    ['trade', { ...trade, wait_card_timeout: 0 }],
    ['trade', { ...trade, wait_card_timeout: 1.5 }],
    ['trade', { ...trade, scan_type: 'BOTH' }],
    ['trade', { ...trade, camera_id: 2 }],
    ['cancel', { func_type: 1002 }],
    ['cancel', { func_type: 1002, orderId: 'T1', refund_amount: '0' }],
    ['cancel', { func_type: 1002, orderId: 'T1', reason: 'x' }],
    ['query_transaction', { func_type: 4001 }],
    ['print_receipt', { func_type: 3001 }],
    ['transaction_info', { func_type: 3002, date: '20261129' }],
    ['cancel_request', { func_type: 5001, orderId: 'T1' }],
    ['cancel_request', {}],
  ];
  for (const [call, content] of wrong) {
    const { respcd, resperr } = await client.call(call, content);
    assert.equal(respcd, '4006', JSON.stringify(content));
    assert.ok(resperr.length > 10);
  }
  assert.deepEqual(scripted.begun, []);
});

test('what a till computes with floats is the amount that was meant', async (t) => {
  const { client, scripted } = await opened(t);
  const meant = { '88.30000000000001': '88.30', '88.2999999999': '88.30', '0.1': '0.10', '100': '100.00' };
  for (const [amt, expected] of Object.entries(meant)) {
    await client.call('trade', { func_type: 1001, amt: Number(amt), channel: 'octopus', out_trade_no: amt });
    const { requestAmount } = scripted.of('payment').at(-1) ?? {};
    assert.equal((requestAmount as { source: string }).source, expected);
  }
});

test('the waiting time is cut to what the terminal offers', async (t) => {
  const { client, scripted } = await opened(t);
  for (const [at, [fields, expected]] of (
    [
      [{ wait_card_timeout: 30 }, '30'],
      [{ wait_card_timeout: 1 }, '10'],
      [{ wait_card_timeout: 9_999, payment_timeout: 20 }, '600'],
      [{ channel: 'payme', wait_card_timeout: 50, payment_timeout: 60 }, '60'],
    ] as [Content, string][]
  ).entries()) {
    await client.call('trade', { ...trade, out_trade_no: `w-${at}`, ...fields });
    const { collectTimeoutSeconds } = scripted.of('payment').at(-1) ?? {};
    assert.equal((collectTimeoutSeconds as { source: string }).source, expected);
  }
});

test('keys: another key is 4003, no encryption is 5001, and neither begins anything', async (t) => {
  const { client, open, scripted } = await opened(t);
  const other = new EcrClient(open.port ?? 0, 'another-test-key');
  assert.equal((await other.call('trade', trade)).respcd, '4003');
  assert.equal(codeOf(await client.post('trade', bodyOf(trade, key, 'clear'))), '5001');
  assert.equal(codeOf(await client.post('trade', '"c29tZXRoaW5n"')), '5001');
  assert.deepEqual(scripted.asked, []);
});

test('requests in clear and answers that are encrypted, where the configuration says so', async (t) => {
  const { client } = await opened(t, { settings: { requests: 'clear', answers: 'encrypted' } });
  const { text } = await client.post('trade', bodyOf(trade, key, 'clear'));
  assert.equal(replyOf(unseal(JSON.parse(text), key)).respcd, '6000');
  // Nobody has been identified, so there is no key to encrypt with.
  assert.equal(codeOf(await client.post('trade', 'x')), '5001');
});

test('HTTP: method, path, type and size', async (t) => {
  const { client, scripted } = await opened(t);
  const got = async (name: string, headers: Record<string, string>, text = body) => {
    const answer = await client.post(name, text, headers);
    return [answer.status, codeOf(answer)];
  };
  assert.deepEqual(await got('trade', { method: 'GET' }), [405, '4004']);
  assert.deepEqual(await got('nothing', {}), [404, '4005']);
  assert.deepEqual(await got('toString', {}), [404, '4005']);
  assert.deepEqual(await got('trade', { 'Content-Type': 'text/plain' }), [415, '4006']);
  assert.deepEqual(await got('trade', {}, `"${'A'.repeat(9_000)}"`), [413, '4006']);
  assert.deepEqual(await got('trade', { Expect: 'everything' }), [417, '4005']);
  assert.deepEqual(scripted.asked, []);
  assert.deepEqual(await got('trade?x=1', {}), [200, '6000']);
});

test('the rules of who may call are those of the API: no foreign host, no page that is not configured', async (t) => {
  const { client, scripted } = await opened(t);
  for (const headers of [
    { Host: 'other.example' },
    { Origin: 'https://other.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
  ]) {
    const answer = await client.post('trade', body, headers);
    assert.deepEqual([answer.status, codeOf(answer)], [403, '4005'], JSON.stringify(headers));
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  }
  assert.deepEqual(scripted.asked, []);
  const asking = { method: 'OPTIONS', Origin: origin, 'Access-Control-Request-Method': 'POST' };
  const preflight = await client.post('trade', '', { ...asking, 'Access-Control-Request-Private-Network': 'true' });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers['access-control-allow-origin'], origin);
  assert.equal(preflight.headers['access-control-allow-private-network'], 'true');
  assert.match(String(preflight.headers['access-control-allow-headers']), /content-type/);
  const paid = await client.post('trade', body, { Origin: origin, Host: 'till.example' });
  assert.deepEqual([paid.status, codeOf(paid), paid.headers['access-control-allow-origin']], [200, '6000', origin]);
});

test('a connection gets four refusals, then it is closed', async (t) => {
  const { open } = await opened(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  t.after(() => agent.destroy());
  const guess = async () => {
    const guessing = httpsRequest({
      host: '127.0.0.1',
      port: open.port,
      path: '/api/pos/trade',
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json' },
    });
    guessing.end(bodyOf(trade, 'another-test-key', 'odoo'));
    const [response] = await once(guessing, 'response');
    response.resume();
    await once(response, 'end');
    return response.headers.connection;
  };
  const connections: unknown[] = [];
  for (let at = 0; at < 4; at++) connections.push(await guess());
  assert.deepEqual(connections, ['keep-alive', 'keep-alive', 'keep-alive', 'close']);
});

test('a client without TLS is heard so in ECR’s form', async (t) => {
  const { open } = await opened(t);
  const plain = httpRequest({
    host: '127.0.0.1',
    port: open.port,
    path: '/api/pos/trade',
    method: 'POST',
    agent: false,
  });
  plain.end('x');
  const [response] = await once(plain, 'response');
  const text = Buffer.concat(await response.toArray()).toString();
  assert.deepEqual([response.statusCode, replyOf(text).respcd], [400, '4005']);
});

test('where POS must be paired, the key of ECR is a credential: it pays, and without one nobody does', async (t) => {
  const terminal = new ScriptedTerminal();
  const calls = openPosCalls({
    parts: {
      terminal,
      waiting: new WaitingCalls(),
      pictures: new ReadingTurns(),
      lists: noLists,
      reports: noReports,
      capabilities: terminalCapabilitiesOf(profiles, bare),
      collectTimes,
      shop,
      answerFor: () => ({ shape: 'A', printedBy: 'terminal' }),
      reprints: noReprints,
      counter: noCounter,
      status: async () => ({ responseResult: 'SUCCESS' }),
    },
    isPairingRequired: true,
    onFailure: (error) => assert.fail(String(error)),
  });
  const { client, open } = await opened(t, { calls });
  assert.equal((await new EcrClient(open.port ?? 0, 'another-test-key').call('trade', trade)).respcd, '4003');
  assert.deepEqual([terminal.paid, terminal.asked], [[], []]);
  const { respcd, resperr } = await client.call('trade', trade);
  assert.equal(respcd, '6002');
  assert.match(resperr, /not connected/);
  assert.deepEqual(
    terminal.paid.map(({ posId, amount: { minor }, forcedAcquirer, posReference }) => [
      posId,
      minor,
      forcedAcquirer,
      posReference,
    ]),
    [['POS-1', 3_000n, 'EDC', 'n-1']],
  );
  // An acquirer that this terminal does not have is no channel of it.
  const { respcd: absent } = await client.call('trade', { ...trade, out_trade_no: 'n-2', channel: 'octopus' });
  assert.equal(absent, '4006');
});

test('a port that is taken ends the start', async (t) => {
  const { open } = await opened(t);
  await assert.rejects(opened(t, { settings: { port: open.port } }), /no address/);
});

test('a stop answers what is under way, and the status counts it', async (t) => {
  const { client, open, scripted } = await opened(t);
  const { promise: paid, resolve: pay } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  scripted.outcomes.push(paid);
  const running = client.call('trade', trade);
  await scripted.askedTimes('payment', 1);
  assert.deepEqual(open.status?.(), { port: open.port, underWay: 1, notificationsWaiting: 0, notificationsGivenUp: 0 });
  const closed = open.close();
  pay({});
  assert.equal((await running).respcd, '6000');
  await closed;
});

test('the answer that was written whole is noted, so the next equal refund is another one', async (t) => {
  const { client, dir, scripted } = await opened(t);
  const { syssn = '' } = (await client.call('trade', trade)).data ?? {};
  const part: Content = { func_type: 1002, orderId: syssn, refund_amount: '10.00' };
  const first = await client.call('cancel', part);
  while (readFileSync(path.join(dir, 'ecr.json'), 'utf8') !== '{"version":1,"calls":[],"notices":[]}') {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const second = await client.call('cancel', part);
  assert.notEqual(first.data?.['syssn'], second.data?.['syssn']);
  assert.equal(scripted.begun.length, 3);
});
