import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock, systemRandom } from '../../../src/base/ports/clock.ts';
import type { Configuration } from '../../../src/config/configuration.ts';
import { configureAdded, OpenProtocols, openProtocols } from '../../../src/main/composition/open-protocols.ts';
import { configureProtocols, registerProtocol } from '../../../src/main/pos-protocols.ts';
import type { ApiParts } from '../../../src/pos/api/call.ts';
import { CallRooms } from '../../../src/pos/api/call-rooms.ts';
import { openPosCalls } from '../../../src/pos/api/open-pos-calls.ts';
import { WaitingCalls } from '../../../src/pos/api/waiting-calls.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { terminalCapabilitiesOf } from '../../payment/transaction/terminal-capabilities.ts';
import { noCounter } from '../../support/no-counter.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
import {
  bare,
  collectTimes,
  type Json,
  noLists,
  noReports,
  noReprints,
  profiles,
  sale,
  ScriptedTerminal,
  shop,
} from '../api/served.ts';
import { lines } from './lines.ts';

const secrets = { 'POS-1': 'one', 'POS-2': 'two' };

/** The protocol over a scripted terminal, and a client of it. Closed when the test ends. */
async function opened(t: TestContext, isPairingRequired: boolean) {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-lines-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const [terminal, failures] = [new ScriptedTerminal(), [] as unknown[]];
  const parts: ApiParts = {
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
  };
  const onFailure = (error: unknown) => failures.push(error);
  const calls = openPosCalls({ parts, isPairingRequired, rooms: new CallRooms(), onFailure });
  const socket = path.join(dir, 'pos');
  const own = { settings: { socket, secrets }, calls, clock: systemClock, random: systemRandom, onFailure };
  const protocol = await lines.open(own);
  const client = connect(socket);
  t.after(async () => {
    client.destroy();
    await protocol.close();
  });
  await once(client, 'connect');
  const waiting = new Map<string, (answer: Json) => void>();
  createInterface({ input: client }).on('line', (line) => {
    const answer = JSON.parse(line);
    noteReasons(answer.body);
    waiting.get(answer.id)?.(answer);
  });
  let ids = 0;
  const ask = (call: string, request: unknown, secret?: string): Promise<Json> => {
    const id = `c-${++ids}`;
    client.write(`${JSON.stringify({ id, call, request, ...(secret === undefined ? {} : { secret }) })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  return { terminal, failures, calls, ask };
}

test('it is added by its folder and one line, and src knows nothing of it', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  assert.ok(readdirSync(import.meta.dirname).length <= 4);
  const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:ts|js)$/.test(name),
  );
  assert.ok(sources.length > 500);
  const naming = sources.filter((name) => /protocols\/lines/.test(readFileSync(path.join(root, 'src', name), 'utf8')));
  assert.deepEqual(naming, []);
});

test('its settings are checked by its schema, and a name that nobody has registered is refused', () => {
  registerProtocol(lines);
  const names = (posProtocols: Configuration['posProtocols']) =>
    configureProtocols({ http: {}, posProtocols } as Configuration).map(({ name }) => name);
  assert.deepEqual(names({}), ['http']);
  assert.deepEqual(names({ lines: { socket: '/run/pos' } }), ['http', 'lines']);
  assert.throws(() => names({ lines: {} }), /posProtocols\.lines\.socket/);
  assert.throws(() => names({ others: {} }), /posProtocols\.others names no protocol of this terminal/);
});

test('what fails in it is its own, and its calls are the terminal’s: one that ends is closed once', async () => {
  const ran: string[] = [];
  const boundary = {
    within: <T>(part: string, work: () => T) => (ran.push(part), work()),
    outside: <T>(work: () => T) => (ran.push('the terminal'), work()),
  };
  let closed = 0;
  const protocol: typeof lines = {
    ...lines,
    async open({ calls }) {
      ran.push('opens');
      await calls.status({ query: new URLSearchParams() }, { address: 'here' });
      return { port: 7, status: () => ({ connections: 1 }), close: async () => void closed++ };
    },
  };
  const open = new OpenProtocols();
  const configuration = { http: {}, pairing: { required: false } } as Configuration;
  const api = { status: async () => ({}) };
  const parts = { boundary, api, accessControl: {}, log: {} } as unknown as Parameters<typeof openProtocols>[2];
  const configured = configureAdded(protocol, { socket: '/run/pos', secrets: {} });
  await openProtocols([configured], configuration, parts, open);
  assert.deepEqual(ran, ['protocol', 'opens', 'the terminal']);
  assert.deepEqual([open.portOf('lines'), open.status], [7, { lines: { connections: 1 } }]);
  await Promise.all([open.close(), open.close()]);
  assert.equal(closed, 1);
});

test('the amount of a payment is read from its digits', async (t) => {
  const { terminal, ask } = await opened(t, false);
  const { status, body } = await ask('payment', { ...sale, requestAmount: 30.1 });
  assert.deepEqual([status, body.reason], [503, 'deviceAbsent']);
  assert.equal(terminal.paid[0]?.amount.minor, 3_010n);
});

test('an identified POS names only itself, in every call, and nobody names the terminal', async (t) => {
  const { terminal, ask } = await opened(t, false);
  for (const call of ['payment', 'enquiry', 'cancel', 'settlement', 'receipt', 'print', 'openDrawer', 'display']) {
    const { status, body } = await ask(call, sale, 'two');
    assert.deepEqual([status, body.reason], [403, 'otherPosId'], call);
    const own = await ask(call, { ...sale, posId: 'OPERATOR' });
    assert.deepEqual([own.status, own.body.reason], [400, 'posIdReserved'], call);
  }
  assert.deepEqual([terminal.paid, terminal.asked, terminal.settled], [[], [], []]);
});

test('where POS must be paired, a protocol that verifies nothing lets nobody pay, read or enquire', async (t) => {
  const { terminal, ask } = await opened(t, true);
  for (const call of ['payment', 'enquiry', 'cancel', 'settlement', 'receipt', 'transactions', 'report', 'status']) {
    const { status, body } = await ask(call, ['transactions', 'report', 'status'].includes(call) ? undefined : sale);
    assert.deepEqual([status, body.reason], [401, 'notPaired'], call);
  }
  assert.deepEqual([terminal.paid, terminal.asked], [[], []]);
  assert.equal((await ask('payment', sale, 'one')).body.reason, 'deviceAbsent');
  assert.equal((await ask('payment', sale, 'none')).status, 401);
});

test('a caller that is not of the shop is identified, whatever the configuration says', async (t) => {
  const { calls, terminal } = await opened(t, false);
  const remote = { address: 'far away', isRemote: true } as const;
  const { status, body } = await calls.cancel(sale, remote);
  assert.deepEqual([status, (body as Json).reason], [401, 'notPaired']);
  assert.equal((await calls.cancel(sale, { ...remote, posId: 'POS-1' })).status, 404);
  assert.equal(terminal.asked.length, 1);
});

test('a POS with many calls that wait is refused more, another POS pays, and both can enquire', async (t) => {
  const { terminal, ask } = await opened(t, false);
  const { promise: ended, resolve: end } = Promise.withResolvers<PayAnswer>();
  terminal.payAnswer = () => ended;
  const pay = (at: number) => ask('payment', { ...sale, messageId: `M-${at}` }, 'one');
  const first = Array.from({ length: 16 }, (_, at) => pay(at));
  await terminal.paidTimes(16);
  const { status, body } = await pay(17);
  assert.deepEqual(
    [status, body.reason, body.messageId, body.financialImpact],
    [503, 'tooManyCalls', 'M-17', 'UNKNOWN'],
  );
  assert.equal((await ask('enquiry', { posId: 'POS-1', messageId: 'M-1' }, 'one')).status, 404);
  const other = ask('payment', { ...sale, posId: 'POS-2' }, 'two');
  await terminal.paidTimes(17);
  end({ kind: 'notReady', reason: 'deviceAbsent', message: 'the script ends' });
  for (const each of await Promise.all([...first, other])) assert.equal(each.body.reason, 'deviceAbsent');
});

test('a handler that fails is answered and logged: whoever enquires learns what became of the payment', async (t) => {
  const { terminal, failures, ask } = await opened(t, false);
  terminal.payAnswer = () => Promise.reject(new Error('planted'));
  const { status, body } = await ask('payment', sale);
  assert.deepEqual([status, body.reason, body.financialImpact], [500, 'internalError', 'UNKNOWN']);
  assert.deepEqual(
    failures.map((each) => (each as Error).message),
    ['planted'],
  );
});
