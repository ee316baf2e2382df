import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Outbox } from '../../../src/pos/cloud/books/outbox.ts';
import { JournalStore } from '../../../src/journal/store.ts';
import { accepted, draft, numbered } from '../../journal/events.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { CloudLine } from './cloud-line.ts';

const ended = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' } as const;
const windowMax = 32;

interface Published {
  readonly stream: string;
  readonly seq: number;
  readonly after: number;
  readonly id: string;
}

let dir: string;
let store: JournalStore;
let line: CloudLine;
let clock: ManualClock;
let outbox: Outbox;
let failures: string[];
let isIdle: boolean;
/** The ordinal whose message is long. */
let long: number | undefined;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-outbox-'));
  store = new JournalStore(path.join(dir, 'journal.db'));
  line = new CloudLine();
  clock = new ManualClock();
  failures = [];
  isIdle = true;
  long = undefined;
  outbox = open();
});
afterEach(async () => {
  await outbox.close();
  store.close();
  rmSync(dir, { recursive: true });
});

/** A process of the terminal: it knows of no other one. */
function open(stream = store.life.stream): Outbox {
  return new Outbox({
    link: line,
    journal: { stream, changes: async (after) => store.changes(after) },
    describe: async ({ id }) => ({ record: { id, ...(Number(id) === long ? { text: 'x'.repeat(1_000) } : {}) } }),
    isIdle: () => isIdle,
    clock,
    random: { bytes: (length) => new Uint8Array(length).fill(7) },
    onFailure: ({ message }) => failures.push(message),
  });
}

function sell(...ordinals: number[]): void {
  for (const ordinal of ordinals) {
    store.open(numbered(ordinal), accepted(`M-${ordinal}`));
    store.intend(numbered(ordinal), draft());
    store.append(numbered(ordinal), [ended]);
  }
  outbox.notice();
}

/** Lets so much time go by, in steps in which everything that is due is done. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) await clock.advance(Math.min(500, ms - passed));
}

const messages = () => line.sent.map(({ payload }) => JSON.parse(Buffer.from(payload).toString()) as Published);
const ordinals = (from = 0) =>
  messages()
    .slice(from)
    .map(({ id }) => Number(id));
const acknowledge = (reported: Published | undefined, more: object = {}) =>
  line.arrive('books/ack', { stream: reported?.stream, seq: reported?.seq, ...more });
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** A sink that has what it was sent, in order, and says so. */
function serve(): { readonly has: () => number[] } {
  const has: Published[] = [];
  line.onSent = ({ payload }) => {
    const reported = JSON.parse(Buffer.from(payload).toString()) as Published;
    const last = has.at(-1)?.seq ?? 0;
    if (reported.after <= last && reported.seq > last) has.push(reported);
    setImmediate(() => acknowledge({ ...reported, seq: has.at(-1)?.seq ?? 0 }));
  };
  return { has: () => has.map(({ id }) => Number(id)) };
}

test('before it knows of a sink it sends one message; then a window, and no more before it is acknowledged', async () => {
  sell(...range(1, 100));
  line.set(true);
  await pass(3_000);
  assert.deepEqual(ordinals(), [1]);
  acknowledge(messages()[0]);
  await pass(1_000);
  assert.deepEqual(ordinals(), range(1, 1 + windowMax));
  assert.equal(outbox.state.underway, windowMax);
  acknowledge(messages()[10]);
  await pass(1_000);
  assert.deepEqual(ordinals(), range(1, 11 + windowMax));
  const chain = messages();
  for (const [index, { after }] of chain.entries()) assert.equal(after, chain[index - 1]?.seq ?? 0, `message ${index}`);
});

test('a process that begins anew sends the last that the sink has, to hear whether it has it, and what the broker alone had again', async () => {
  const sink = serve();
  sell(...range(1, 50));
  line.set(true);
  await pass(5_000);
  assert.deepEqual(sink.has(), range(1, 50));
  line.onSent = () => undefined;
  sell(51, 52);
  await pass(1_000);
  const [last] = messages().filter(({ id }) => Number(id) === 50);
  line.set(false);
  await outbox.close();
  outbox = open();
  const before = line.sent.length;
  line.set(true);
  acknowledge(last);
  await pass(1_000);
  assert.deepEqual(ordinals(before), [50, 51, 52]);
});

test('what is not acknowledged is sent again: after a lost connection, after silence, and when the sink asks', async () => {
  sell(1, 2, 3);
  line.set(true);
  await pass(3_000);
  acknowledge(messages()[0]);
  await pass(1_000);
  assert.deepEqual(ordinals(), [1, 2, 3]);
  line.set(false);
  line.set(true);
  await pass(1_000);
  assert.deepEqual(ordinals(3), [1, 2, 3]);
  await pass(21_000);
  assert.deepEqual(ordinals(6), [2], 'one message asks for it');
  acknowledge(messages()[0], { again: true });
  await pass(500);
  assert.deepEqual(ordinals(7), [2, 3]);
  acknowledge({ ...(messages()[0] as Published), seq: 0 });
  await pass(500);
  assert.deepEqual(ordinals(9), [1, 2, 3], 'a sink that was set back has everything again');
});

test('a sink that is away for a day is asked less and less often, and everything arrives in the end, once', async () => {
  sell(...range(1, 40));
  line.set(true);
  await pass(3_000);
  acknowledge(messages()[0]);
  for (let hour = 0; hour < 24; hour++) {
    await clock.advance(600_000);
    await pass(1_000);
  }
  assert.ok(line.sent.length < 3 * windowMax, `${line.sent.length} messages to nobody`);
  const sink = serve();
  for (let tries = 0; tries < 4 && sink.has().length < 39; tries++) {
    line.set(false);
    line.set(true);
    acknowledge(messages()[0]);
    await pass(5_000);
  }
  assert.deepEqual(outbox.state.underway, 0);
  const sent = new Set(ordinals());
  assert.deepEqual(
    [...sent].sort((one, other) => one - other),
    range(1, 40),
  );
});

test('nothing is read while a payment runs; one that never ends holds it up for seconds', async () => {
  line.set(true);
  acknowledge({ stream: store.life.stream, seq: 0, after: 0, id: '' });
  isIdle = false;
  sell(1);
  await pass(3_000);
  assert.deepEqual(ordinals(), []);
  isIdle = true;
  await pass(1_000);
  assert.deepEqual(ordinals(), [1]);
  isIdle = false;
  sell(2);
  acknowledge(messages()[0]);
  await pass(12_000);
  assert.ok(ordinals().includes(2));
});

for (const next of ['the next sale', 'the next connect', 'the next start'] as const) {
  test(`a forged acknowledgement takes nothing from the books: after ${next} the sink has everything`, async () => {
    const sink = serve();
    sell(1, 2);
    line.set(true);
    await pass(5_000);
    assert.deepEqual(sink.has(), [1, 2]);
    // Whoever has the broker brings nothing on, and says that everything arrived.
    const deliver = line.onSent;
    line.onSent = () => undefined;
    sell(3, 4, 5);
    await pass(1_000);
    const forged = messages().at(-1);
    acknowledge(forged);
    await pass(1_000);
    assert.deepEqual([outbox.state.acknowledged, outbox.state.underway], [forged?.seq, 0]);
    line.onSent = deliver;
    await pass(3_600_000);
    assert.deepEqual(sink.has(), [1, 2]);
    if (next === 'the next sale') sell(6);
    else {
      line.set(false);
      if (next === 'the next start') {
        await outbox.close();
        outbox = open();
      }
      line.set(true);
      // The broker has retained it.
      acknowledge(forged);
    }
    await pass(5_000);
    assert.deepEqual(sink.has(), range(1, next === 'the next sale' ? 6 : 5));
  });
}

test('a forged acknowledgement ahead of what was sent is asked about at once', async () => {
  const sink = serve();
  sell(1);
  line.set(true);
  await pass(5_000);
  sell(2, 3, 4);
  const end = store.changes(0).until;
  line.arrive('books/ack', { stream: store.life.stream, seq: end });
  await pass(5_000);
  assert.deepEqual([sink.has(), outbox.state.acknowledged], [[1, 2, 3, 4], end]);
});

test('another stream, and what is no acknowledgement, move nothing', async () => {
  sell(1, 2);
  line.set(true);
  for (const content of [
    { stream: 'other', seq: 6 },
    { stream: store.life.stream, seq: -1 },
    { seq: 6 },
    'x',
    null,
    [1],
  ]) {
    line.arrive('books/ack', content);
  }
  line.arrive('books/ack', { stream: store.life.stream, seq: 1.5 });
  await pass(3_000);
  assert.deepEqual([ordinals(), outbox.state.acknowledged], [[1], undefined]);
});

test('a message of another journal that the sink takes later does not count as the later: all is sent again, once', async () => {
  sell(1, 2);
  line.set(true);
  acknowledge({ stream: store.life.stream, seq: 0, after: 0, id: '' });
  await pass(3_000);
  assert.deepEqual(ordinals(), [1, 2]);
  acknowledge(messages()[1]);
  for (let each = 0; each < 3; each++) line.arrive('books/ack', { stream: 'other', seq: 6 + each });
  await pass(1_000);
  assert.deepEqual(ordinals(2), [1, 2]);
  assert.equal(messages().at(-1)?.stream, `${store.life.stream}.07070707`);
  assert.match(failures.join(), /another journal/);
  line.arrive('books/ack', { stream: 'other.07070707', seq: 9 });
  await pass(1_000);
  assert.equal(messages().length, 4);
});

test('a journal that ends before what the sink has of it is sent again, under a name that stays', async () => {
  sell(1, 2);
  line.set(true);
  line.arrive('books/ack', { stream: store.life.stream, seq: 900 });
  await pass(1_000);
  assert.match(failures.join(), /older copy/);
  assert.deepEqual(ordinals(), [1, 2]);
  const [first] = messages();
  assert.equal(first?.stream, `${store.life.stream}.07070707`);
  await outbox.close();
  outbox = open();
  line.set(false);
  line.set(true);
  acknowledge(first);
  await pass(1_000);
  assert.deepEqual(ordinals(2), [1, 2]);
  assert.equal(messages().at(-1)?.stream, first?.stream);
});

test('a terminal that has forgotten the last name of its journal hears it from the sink; one that it has left counts no more', async () => {
  sell(1, 2, 3);
  line.set(true);
  await pass(3_000);
  const [first] = messages();
  acknowledge(first);
  await pass(500);
  const [last, before] = [`${store.life.stream}.0000000b`, `${store.life.stream}.0000000a`];
  line.arrive('books/ack', { stream: last, seq: first?.seq, again: true });
  await pass(500);
  assert.equal(messages().at(-1)?.stream, last);
  const count = line.sent.length;
  // Everything anew, under a third name.
  line.arrive('books/ack', { stream: last, seq: 900 });
  await pass(500);
  assert.equal(messages().at(-1)?.stream, `${store.life.stream}.07070707`);
  assert.deepEqual([...new Set(ordinals(count))], [1, 2, 3]);
  line.arrive('books/ack', { stream: last, seq: 900 });
  assert.equal(outbox.state.stream, `${store.life.stream}.07070707`);
  line.arrive('books/ack', { stream: before, seq: 0 });
  assert.equal(outbox.state.stream, before);
});

test('a name that a terminal has left is the last all the same where the sink asks for more of it', async () => {
  sell(1, 2, 3);
  line.set(true);
  await pass(3_000);
  const left = `${store.life.stream}.0000000a`;
  acknowledge({ ...(messages()[0] as Published), stream: left });
  // Forged. What went by the name before came to the sink only after what goes by the next one.
  line.arrive('books/ack', { stream: left, seq: 900 });
  await pass(500);
  assert.equal(messages().at(-1)?.stream, `${store.life.stream}.07070707`);
  const count = line.sent.length;
  line.arrive('books/ack', { stream: left, seq: messages()[0]?.seq, again: true });
  await pass(500);
  assert.deepEqual(
    messages()
      .slice(count)
      .map(({ stream, id }) => [stream, Number(id)]),
    [
      [left, 2],
      [left, 3],
    ],
  );
});

test('a message that is longer than the broker takes waits with all that follow; nothing is lost once it takes more', async () => {
  const sink = serve();
  long = 3;
  line.bytesMax = 1_000;
  sell(...range(1, 5));
  line.set(true);
  await pass(60_000);
  assert.deepEqual(sink.has(), [1, 2]);
  assert.deepEqual([...new Set(ordinals())], [1, 2]);
  assert.ok(line.sent.length < 10, `${line.sent.length} messages: it does not ask again and again`);
  assert.equal(outbox.state.underway, 0);
  line.set(false);
  line.bytesMax = 10_000;
  line.set(true);
  await pass(5_000);
  assert.deepEqual(sink.has(), range(1, 5));
  assert.deepEqual(failures, []);
});

test('invented names move nothing if no terminal makes them, and many of them cause one report per connection', async () => {
  sell(1);
  line.set(true);
  const own = store.life.stream;
  for (const name of [`${own}.${'a'.repeat(900)}`, `${own}.`, `${own}.0000000A`, `${own}.0000000a.0000000b`]) {
    line.arrive('books/ack', { stream: name, seq: 1e9 });
    await pass(500);
    assert.equal(outbox.state.stream, own);
  }
  const flood = async () => {
    for (let at = 0; at < 50; at++) {
      line.arrive('books/ack', { stream: `${own}.${`${at}`.padStart(8, '0')}`, seq: 1e9 });
      await pass(500);
    }
  };
  await flood();
  assert.deepEqual([failures.length, outbox.state.stream], [1, `${own}.07070707`]);
  // The newest names that were left count no more; the oldest are forgotten.
  line.arrive('books/ack', { stream: `${own}.00000049`, seq: 0 });
  assert.equal(outbox.state.stream, `${own}.07070707`);
  line.arrive('books/ack', { stream: `${own}.00000000`, seq: 0 });
  assert.equal(outbox.state.stream, `${own}.00000000`);
  line.set(false);
  line.set(true);
  await flood();
  assert.equal(failures.length, 2);
});
