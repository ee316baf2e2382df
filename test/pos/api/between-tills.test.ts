import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { RequestAuthenticator } from '../../../src/pos/pairing/request-authenticator.ts';
import { PairedKeys } from '../../../src/pos/pairing/paired-keys.ts';
import type { TerminalEvent } from '../../../src/payment/contracts/terminal-events.ts';
import { SigningPos } from '../pairing/signing.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
import { approved, authorizedRecord, success } from './records.ts';
import { type EventClient, watched } from './watched.ts';

type EmittedEvent = Omit<TerminalEvent, 'at'>;

const own: EmittedEvent = { state: 'collecting', posId: 'POS-1', messageId: 'M-1' };
const others: EmittedEvent = { state: 'collecting', posId: 'POS-2', messageId: 'M-2' };
const events = '/sp/v1/events';

/** Two points of sale that are paired with one terminal. */
async function tills(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-tills-'));
  t.after(() => rm(dir, { recursive: true }));
  const keys = new PairedKeys(dir);
  const stage = await watched(t, {}, (clock) => RequestAuthenticator.open(keys, clock));
  const [one, two] = [new SigningPos('POS-1'), new SigningPos('POS-2')];
  for (const { paired } of [one, two]) await keys.put(paired);
  const watches = (pos: SigningPos, target = events, more = {}) => {
    const headers = { ...pos.headers(`127.0.0.1:${stage.port}`, 'GET', target, '', stage.clock.now()), ...more };
    return stage.open({ path: target, headers });
  };
  const asks = async (pos: SigningPos, target: string, fields: object) => {
    const body = JSON.stringify(fields);
    const headers = {
      'content-type': 'application/json',
      ...pos.headers(`127.0.0.1:${stage.port}`, 'POST', target, body, stage.clock.now()),
    };
    const answer = await fetch(`http://127.0.0.1:${stage.port}${target}`, { method: 'POST', headers, body });
    noteReasons(await answer.json());
    return answer.status;
  };
  return { ...stage, events: stage.events, dir, keys, one, two, watches, asks };
}

const seen = ({ events: reported }: EventClient) => reported.map(({ data }) => data.messageId ?? data.state);

describe('what a paired POS hears', { timeout: 30_000 }, () => {
  test('are its own events, also where it asks for all, and when the terminal is idle', async (t) => {
    const { events: stream, one, watches } = await tills(t);
    const client = await watches(one);
    for (const each of [others, { state: 'idle' }, own] as const) stream.emit(each);
    await client.seen(3);
    assert.deepEqual(seen(client), ['idle', 'idle', 'M-1']);
    assert.ok(!client.text.includes('POS-2'));
  });

  test('is not what another did meanwhile, whatever id it comes back with', async (t) => {
    const { events: stream, clock, one, watches } = await tills(t);
    for (const each of [others, own] as const) stream.emit(each);
    const boot = clock.now().getTime().toString(36);
    for (const target of [`${events}?lastEventId=${boot}-0`, `${events}?posId=POS-1&lastEventId=${boot}-0`]) {
      const client = await watches(one, target);
      await client.seen(1);
      assert.deepEqual(seen(client), ['M-1']);
    }
    const named = await watches(one, `${events}?posId=POS-2`);
    assert.equal(named.status, 403);
  });
});

test('a key of a name that is the terminal’s own opens nothing', async (t) => {
  const { keys, watches } = await tills(t);
  const operator = new SigningPos('OPERATOR');
  await keys.put(operator.paired);
  assert.equal((await watches(operator)).status, 401);
});

describe('the stream of a POS', { timeout: 30_000 }, () => {
  test('ends when its key is revoked, and no other’s does', async (t) => {
    const { events: stream, keys, one, two, watches } = await tills(t);
    const [gone, stays] = [await watches(one), await watches(two)];
    await keys.remove('POS-1');
    assert.equal(await gone.over, 'ended');
    stream.emit(others);
    await stays.seen(2);
    assert.equal((await watches(one)).status, 401);
  });

  test('ends when it is paired anew', async (t) => {
    const { keys, one, watches } = await tills(t);
    const client = await watches(one);
    await keys.put(new SigningPos('POS-1').paired);
    assert.equal(await client.over, 'ended');
  });

  test('ends within a quarter of a second where another process has written the keys', async (t) => {
    const { clock, dir, one, two, watches } = await tills(t);
    const [gone, stays] = [await watches(one), await watches(two)];
    await writeFile(path.join(dir, 'pairings.json'), JSON.stringify([two.paired]), { mode: 0o600 });
    await clock.advance(250);
    assert.equal(await gone.over, 'ended');
    // Keys that can't be read keep nobody in.
    await writeFile(path.join(dir, 'pairings.json'), 'x');
    await clock.advance(250);
    assert.equal(await stays.over, 'ended');
  });

  test('is looked after by nobody once its client has left', async (t) => {
    const { clock, one, watches } = await tills(t);
    const client = await watches(one);
    assert.notDeepEqual(clock.pendingMs, []);
    client.destroy();
    await client.over;
    while (clock.pendingMs.length > 0) await new Promise(setImmediate);
  });
});

describe('a receipt', () => {
  test('is its own POS’s alone, also by the terminal’s id', async (t) => {
    const { one, two, terminal, asks } = await tills(t);
    const record = authorizedRecord({ outcome: approved, conclusion: success });
    assert.equal(record.request.posId, 'POS-1');
    terminal.recalled = { record, later: [] };
    const fields = { terminalTransactionId: record.id, output: 'TEXT' };
    assert.equal(await asks(one, '/sp/v1/receipt', fields), 200);
    assert.equal(await asks(two, '/sp/v1/receipt', fields), 404);
    assert.equal(await asks(two, '/sp/v1/receipt', { ...fields, posId: 'POS-2' }), 404);
    assert.equal(await asks(two, '/sp/v1/receipt', { ...fields, posId: 'POS-1' }), 403);
  });
});

describe('an enquiry by the terminal’s id', () => {
  test('finds what its own POS has asked for alone', async (t) => {
    const { one, two, terminal, asks } = await tills(t);
    const record = authorizedRecord({ outcome: approved, conclusion: success });
    terminal.identity = { posId: 'POS-1', messageId: 'M-1' };
    terminal.enquiryAnswer = { kind: 'ended', record, status: 'APPROVED' };
    const fields = { terminalTransactionId: record.id };
    assert.equal(await asks(one, '/sp/v1/enquiry', fields), 200);
    assert.equal(await asks(two, '/sp/v1/enquiry', fields), 404);
    assert.equal(await asks(two, '/sp/v1/enquiry', { ...fields, posId: 'POS-2' }), 404);
  });
});
