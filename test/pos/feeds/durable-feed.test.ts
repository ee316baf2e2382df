import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Clock, systemClock } from '../../../src/base/ports/clock.ts';
import { JournalStore } from '../../../src/journal/store.ts';
import { DurableFeed, type FeedParts } from '../../../src/pos/feeds/durable-feed.ts';
import type { FeedAnswer, FeedCursor, FeedSink } from '../../../src/pos/feeds/feed-sink.ts';
import { FileCursor } from '../../../src/pos/feeds/file-cursor.ts';
import { accepted, draft, numbered } from '../../journal/events.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { type Behaviour, Collector, HttpSink } from './collector.ts';

const ended = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' } as const;

interface Described {
  readonly record: { readonly id: string };
}

let dir: string;
let store: JournalStore;
let clock: ManualClock;
let failures: string[];
let feeds: DurableFeed<Described>[];
let isIdle: boolean;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-feed-'));
  store = new JournalStore(path.join(dir, 'journal.db'));
  clock = new ManualClock();
  [failures, feeds, isIdle] = [[], [], true];
});
afterEach(async () => {
  for (const each of feeds) await each.close();
  store.close();
  rmSync(dir, { recursive: true });
});

const cursorFile = () => path.join(dir, 'feed.json');

/** The feed of one process. */
function fed(sink: FeedSink<Described>, more: Partial<FeedParts<Described>> = {}): DurableFeed<Described> {
  const feed = new DurableFeed<Described>({
    journal: { stream: store.life.stream, changes: async (after) => store.changes(after) },
    describe: async ({ id }) => ({ record: { id } }),
    sink,
    cursor: new FileCursor(cursorFile()),
    isIdle: () => isIdle,
    clock,
    random: { bytes: (length) => new Uint8Array(length) },
    onFailure: ({ message }) => failures.push(message),
    ...more,
  });
  feeds.push(feed);
  return feed;
}

function sell(first: number, last = first): void {
  for (let ordinal = first; ordinal <= last; ordinal++) {
    store.open(numbered(ordinal), accepted(`M-${ordinal}`));
    store.intend(numbered(ordinal), draft());
    store.append(numbered(ordinal), [ended]);
  }
}

/** A later change of a transaction. */
function change(ordinal: number): void {
  store.append(numbered(ordinal), [{ kind: 'receiptPrinted' }]);
}

/** A sink that keeps what it is given, and answers as the test says. */
function scripted(answer: (seq: number, signal: AbortSignal) => FeedAnswer | Promise<FeedAnswer>) {
  const given: { seq: number; after: number; id: number; atMs: number }[] = [];
  const sink: FeedSink<Described> = {
    send({ seq, after, described }, signal) {
      given.push({ seq, after, id: Number(described.record.id), atMs: clock.elapsedMs() });
      return answer(seq, signal);
    },
  };
  return { given, sink, ids: () => given.map(({ id }) => id) };
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 250) {
    await clock.advance(Math.min(250, ms - passed));
    for (let round = 0; round < 5; round++) await setImmediate();
  }
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('every entry once and in order, with the place of the one before; a new one half a second later', async () => {
  const { sink, given, ids } = scripted(async () => ({ kind: 'accepted' }));
  sell(1, 300);
  const feed = fed(sink);
  await feed.open();
  await pass(10_000);
  assert.deepEqual(ids(), range(1, 300));
  for (const [index, { after }] of given.entries()) assert.equal(after, given[index - 1]?.seq ?? 0);
  sell(301);
  feed.notice();
  await pass(250);
  assert.equal(given.length, 300);
  await pass(500);
  assert.deepEqual(ids(), range(1, 301));
  assert.equal(feed.place, allChanges().at(-1)?.seq);
});

test('while a payment runs nothing is read', async () => {
  const { sink, given } = scripted(async () => ({ kind: 'accepted' }));
  isIdle = false;
  sell(1);
  await fed(sink).open();
  await pass(3_000);
  assert.equal(given.length, 0);
  isIdle = true;
  await pass(500);
  assert.equal(given.length, 1);
});

test('after a failure it pauses, longer each time up to ten minutes; success makes the next pause short', async () => {
  let isAway = true;
  const { sink, given } = scripted(() => {
    if (isAway) return Promise.reject(new Error('cut'));
    return Promise.resolve({ kind: 'accepted' });
  });
  sell(1, 2);
  const feed = fed(sink);
  await feed.open();
  await pass(40_000);
  const seconds = given.map(({ atMs }) => Math.round((atMs - (given[0]?.atMs ?? 0)) / 1_000));
  assert.deepEqual(seconds, [0, 1, 3, 7, 15, 31]);
  for (let hours = 0; hours < 3; hours++) await clock.advance(3_600_000);
  const [before = 0, last = 0] = given.map(({ atMs }) => atMs).slice(-2);
  assert.ok(last - before >= 600_000 && last - before < 700_000, `${last - before}`);
  isAway = false;
  await pass(610_000);
  assert.deepEqual(feed.state, { underway: 0, refused: 0, failures: 0 });
  assert.deepEqual([...new Set(given.map(({ id }) => id))], [1, 2]);
});

test('a sink that asks for a pause gets it, also where something is written meanwhile', async () => {
  const answers: FeedAnswer[] = [{ kind: 'retryLater', afterMs: 30_000 }];
  const { sink, given } = scripted(async () => answers.shift() ?? { kind: 'accepted' });
  sell(1);
  const feed = fed(sink);
  await feed.open();
  await pass(1_000);
  sell(2);
  feed.notice();
  await pass(28_000);
  assert.equal(given.length, 1);
  await pass(3_000);
  assert.deepEqual(
    given.map(({ id }) => id),
    [1, 1, 2],
  );
});

test('what a sink refuses for ever is reported and passed over, and keeps nothing back', async () => {
  const { sink, ids } = scripted(async (seq) =>
    seq < 4 ? { kind: 'refused', reason: 'it answers 410' } : { kind: 'accepted' },
  );
  sell(1, 3);
  const feed = fed(sink);
  await feed.open();
  await pass(2_000);
  assert.deepEqual(ids(), [1, 2, 3]);
  assert.equal(feed.state.refused, 1);
  assert.match(failures.join(), /refuses entry \d+: it answers 410/);
});

test('with several under way, the cursor never passes one that has no answer', async () => {
  const answers = new Map<number, (answer: FeedAnswer) => void>();
  const { sink, given, ids } = scripted((seq) => new Promise((resolve) => answers.set(seq, resolve)));
  sell(1, 6);
  const feed = fed({ window: 3, send: (entry, signal) => sink.send(entry, signal) });
  await feed.open();
  await pass(500);
  assert.deepEqual(ids(), [1, 2, 3]);
  answers.get(given[1]?.seq ?? 0)?.({ kind: 'accepted' });
  await pass(500);
  assert.deepEqual(ids(), [1, 2, 3]);
  await feed.close();
  assert.equal(existsSync(cursorFile()), false);
  const again = scripted(async () => ({ kind: 'accepted' }));
  await fed(again.sink).open();
  await pass(1_000);
  assert.deepEqual(again.ids(), range(1, 6));
});

test('an entry that is to be sent later withdraws what went after it, and stays before it', async () => {
  const signals = new Map<number, AbortSignal>();
  let isFirst = true;
  const { sink, ids } = scripted((seq, signal) => {
    signals.set(seq, signal);
    if (signals.size === 3 && isFirst) isFirst = false;
    else if (!isFirst) return Promise.resolve({ kind: 'accepted' });
    return signals.size === 2 ? setImmediate<FeedAnswer>({ kind: 'retryLater' }) : new Promise(() => undefined);
  });
  sell(1, 3);
  const feed = fed({ window: 3, send: (entry, signal) => sink.send(entry, signal) });
  await feed.open();
  await pass(5_000);
  assert.deepEqual(ids(), [1, 2, 3, 2, 3]);
  assert.equal(feed.state.underway, 3, 'the first has no answer');
});

test('it goes on where it was, sends everything after a place anew, and all of another journal', async () => {
  const { sink, given, ids } = scripted(async () => ({ kind: 'accepted' }));
  sell(1, 5);
  const feed = fed(sink);
  await feed.open();
  await pass(1_000);
  await feed.close();
  sell(6);
  const next = fed(sink);
  await next.open();
  await pass(1_000);
  assert.deepEqual(ids(), range(1, 6));
  await next.replay(given[2]?.seq ?? 0);
  await pass(1_000);
  assert.deepEqual(ids().slice(6), [4, 5, 6]);
  await next.close();
  const journal = { stream: 'another', changes: async (after: number) => store.changes(after) };
  await fed(sink, { journal }).open();
  await pass(1_000);
  assert.deepEqual(ids().slice(9), range(1, 6));
});

test('a cursor that can’t be read or written loses nothing', async () => {
  writeFileSync(cursorFile(), '{"stream":');
  const { sink, ids } = scripted(async () => ({ kind: 'accepted' }));
  sell(1, 2);
  await fed(sink).open();
  await pass(1_000);
  assert.deepEqual(ids(), [1, 2]);
  const broken: FeedCursor = {
    load: () => Promise.reject(new Error('no load')),
    save: () => Promise.reject(new Error('no save')),
  };
  await fed(sink, { cursor: broken }).open();
  await pass(1_000);
  assert.deepEqual(ids(), [1, 2, 1, 2]);
  assert.deepEqual([...new Set(failures)], ['no load', 'no save']);
});

/** A hundred times as fast as the machine's, so that pauses of seconds are none. */
const fastClock: Clock = {
  now: () => systemClock.now(),
  setTimeout: (work, ms) => systemClock.setTimeout(work, ms / 100),
  clearTimeout: (timer) => systemClock.clearTimeout(timer),
};

test('a collector that cuts connections, and restarts of the terminal: nothing is lost, repeats are marked', async (t) => {
  const collector = await Collector.open();
  t.after(() => collector.close());
  const seed = Math.floor(Math.random() * 2 ** 31);
  t.diagnostic(`seed ${seed}`);
  let state = seed;
  const next = (most: number) => ((state = (state * 1_103_515_245 + 12_345) % 2 ** 31) >>> 8) % most;
  const behaviours: readonly Behaviour[] = ['cutBefore', 'cutAfter', 'busy'];
  let requests = 0;
  collector.behaviour = () => {
    requests += 1;
    return requests % 4 === 0 ? (behaviours[(requests / 4) % 3] ?? 'take') : 'take';
  };
  const sink = () => new HttpSink(collector.url, store.life.stream);
  const describe: FeedParts<Described>['describe'] = async ({ id, seq }) => ({ record: { id, seq } }) as Described;
  for (let hour = 0; hour < 10; hour++) {
    const feed = fed(sink(), { clock: fastClock, describe });
    sell(hour * 20 + 1, hour * 20 + 10);
    await feed.open();
    sell(hour * 20 + 11, hour * 20 + 20);
    for (let at = 0; at < 5; at++) change(next(hour * 20 + 20) + 1);
    feed.notice();
    // It is ended at any moment, mostly with something under way.
    for (const before = collector.stored.length; collector.stored.length < before + 1 + next(30); )
      await setImmediate();
    await feed.close();
  }
  collector.behaviour = () => 'take';
  const last = fed(sink(), { clock: fastClock, describe });
  await last.open();
  const all = allChanges();
  while (last.place === undefined || last.place < (all.at(-1)?.seq ?? 0)) await setImmediate();
  await last.close();
  const { stored } = collector;
  const bySeq = new Map(stored.map((each) => [each.seq, each]));
  for (const { seq, id } of all) assert.equal(bySeq.get(seq)?.transaction, id, `entry ${seq} is lost`);
  for (const each of stored) assert.deepEqual(each, { ...bySeq.get(each.seq), after: each.after }, 'a repeat differs');
  const ids = new Map<string, number>();
  for (const { id, seq } of stored) assert.equal(ids.get(id) ?? ids.set(id, seq).get(id), seq, 'another id');
  assert.equal(ids.size, bySeq.size);
  assert.ok(stored.length > ids.size, 'nothing was repeated: this tries nothing');
  // Without its repeats, each transaction's entries come in the order of its changes.
  const first = [...new Set(stored.map(({ seq }) => seq))];
  assert.deepEqual(
    first,
    first.toSorted((one, other) => one - other),
  );
  assert.deepEqual(failures, []);
});

/** Everything that the journal has now, by place. */
function allChanges(): { seq: number; id: string }[] {
  const all: { seq: number; id: string }[] = [];
  for (let after = 0, hasMore = true; hasMore; ) {
    const slice = store.changes(after);
    all.push(...slice.changes);
    ({ until: after, hasMore } = slice);
  }
  return all;
}
