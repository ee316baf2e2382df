import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { type Claimed, KnownMessages } from '../../../src/pos/nexo/known-messages.ts';
import { failure } from '../../../src/pos/nexo/response.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const hourMs = 3_600_000;

function opened(t: TestContext) {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-nexo-'));
  t.after(async () => {
    await Promise.allSettled(written);
    rmSync(dir, { recursive: true });
  });
  const [file, clock] = [path.join(dir, 'nexo.jsonl'), new ManualClock()];
  return { file, clock, open: () => KnownMessages.open(file, clock) };
}

/** What the messages of a test still write when it ends. */
const written: Promise<unknown>[] = [];

function claim(messages: KnownMessages, ...claimed: Parameters<KnownMessages['claim']>): Claimed {
  const found = messages.claim(...claimed);
  if ('message' in found) written.push(found.message.ready);
  return found;
}

const name = { posId: 'P', saleId: 'Till 1', serviceId: '1' };
const message = (fields: object = {}) => ({
  ...name,
  category: 'Payment' as const,
  digest: 'd',
  messageId: 'nexo-m',
  transaction: ['order', 'time'],
  ...fields,
});
const nothing = async () => ({});

test('a message is on disk before it is ready, in a file of its owner alone, and known after a restart', async (t) => {
  const { file, open } = opened(t);
  const messages = await open();
  const claimed = claim(messages, message(), async () => ({ plan: { transactionType: 'VOID' as const } }));
  assert.ok(claimed.kind === 'new');
  assert.equal(await claimed.message.ready, undefined);
  assert.match(readFileSync(file, 'utf8'), /"messageId":"nexo-m"/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const again = await open();
  assert.deepEqual(again.find(name)?.plan, { transactionType: 'VOID' });
  assert.deepEqual([again.find(name)?.isStarted, again.size, again.isWhole], [true, 1, true]);
});

test('the same message is the same, another of its ServiceID is refused for 48 hours, then the newest counts', async (t) => {
  const { clock, open } = opened(t);
  const messages = await open();
  const first = claim(messages, message(), nothing);
  assert.equal(claim(messages, message(), nothing).kind, 'same');
  assert.equal(claim(messages, message({ digest: 'e' }), nothing).kind, 'other');
  assert.equal(claim(messages, message({ digest: 'e', saleId: 'Till 2' }), nothing).kind, 'new');
  assert.equal(claim(messages, message({ digest: 'e', posId: 'Q' }), nothing).kind, 'new');
  assert.ok('message' in first);
  await first.message.ready;
  clock.jump(48 * hourMs - 1);
  assert.equal(claim(messages, message({ digest: 'e' }), nothing).kind, 'other');
  clock.jump(1);
  // A clock that was wrong makes no message unknown.
  assert.equal(messages.find(name)?.messageId, 'nexo-m');
  const newest = claim(messages, message({ digest: 'e', messageId: 'nexo-n' }), nothing);
  assert.equal(newest.kind, 'new');
  assert.equal(messages.find(name)?.messageId, 'nexo-n');
});

test('a clock that was set back forgets nothing', async (t) => {
  const { clock, open } = opened(t);
  const messages = await open();
  claim(messages, message(), nothing);
  clock.jump(-400 * 24 * hourMs);
  assert.equal(claim(messages, message({ digest: 'e' }), nothing).kind, 'other');
});

test('a line that a power cut has torn is dropped: nothing was started for it', async (t) => {
  const { file, open } = opened(t);
  const messages = await open();
  for (const serviceId of ['1', '2']) {
    const claimed = claim(messages, message({ serviceId }), nothing);
    if ('message' in claimed) await claimed.message.ready;
  }
  truncateSync(file, statSync(file).size - 5);
  const again = await open();
  assert.deepEqual([again.size, again.isWhole, again.find({ ...name, serviceId: '2' })], [1, true, undefined]);
  assert.match(readFileSync(file, 'utf8'), /\}\n$/);
});

test('a damaged line leaves a gap of two days, which a restart does not hide', async (t) => {
  const { file, clock, open } = opened(t);
  const messages = await open();
  const claimed = claim(messages, message(), nothing);
  if ('message' in claimed) await claimed.message.ready;
  writeFileSync(file, `{"posId":\n${readFileSync(file, 'utf8')}`);
  assert.deepEqual([(await open()).size, (await open()).isWhole], [1, false]);
  clock.jump(47 * hourMs);
  const later = await open();
  assert.equal(later.isWhole, false);
  clock.jump(hourMs);
  assert.equal(later.isWhole, true);
});

test('a message that is refused, or can’t be written, is not known', async (t) => {
  const { file, open } = opened(t);
  const messages = await open();
  const refused = failure('NotFound', 'no such original');
  const claimed = claim(messages, message(), async () => ({ refused }));
  assert.ok('message' in claimed);
  assert.equal(await claimed.message.ready, refused);
  assert.equal(messages.find(name), undefined);
  rmSync(path.dirname(file), { recursive: true });
  const lost = claim(messages, message(), nothing);
  assert.ok('message' in lost);
  await assert.rejects(lost.message.ready, /ENOENT/);
  assert.equal(messages.find(name), undefined);
  // The directory is removed once more at the end.
  await import('node:fs/promises').then(({ mkdir }) => mkdir(path.dirname(file)));
});

test('an abort that comes before its message keeps it from being carried out, for ten minutes', async (t) => {
  const { clock, open } = opened(t);
  const messages = await open();
  assert.equal(messages.abort(name), undefined);
  assert.equal(claim(messages, message(), nothing).kind, 'void');
  assert.equal(claim(messages, message({ serviceId: '2' }), nothing).kind, 'new');
  clock.jump(600_000);
  assert.equal(claim(messages, message(), nothing).kind, 'new');
});

test('an abort of a message for which nothing was started marks it; a started one it leaves', async (t) => {
  const { open } = opened(t);
  const messages = await open();
  const claimed = claim(messages, message(), nothing);
  assert.ok('message' in claimed);
  assert.equal(messages.abort(name)?.isAborted, true);
  const other = claim(messages, message({ serviceId: '2' }), nothing);
  assert.ok('message' in other);
  other.message.isStarted = true;
  assert.equal(messages.abort({ ...name, serviceId: '2' })?.isAborted, false);
});

test('the number is limited: the oldest goes if it is older than an hour, otherwise a new one is refused', async (t) => {
  const { file, clock, open } = opened(t);
  const atMs = clock.now().getTime();
  const lines = Array.from({ length: 5_000 }, (_, at) => JSON.stringify({ ...message({ serviceId: `${at}` }), atMs }));
  appendFileSync(file, `${lines.join('\n')}\n`);
  const messages = await open();
  const fresh = message({ serviceId: 'fresh' });
  assert.equal(claim(messages, fresh, nothing).kind, 'full');
  clock.jump(hourMs);
  const claimed = claim(messages, fresh, nothing);
  assert.ok('message' in claimed);
  await claimed.message.ready;
  assert.deepEqual([messages.size, messages.find({ ...name, serviceId: '0' })], [5_000, undefined]);
});

test('so is the number of messages that wait for the disk', async (t) => {
  const { open } = opened(t);
  const messages = await open();
  const { promise, resolve } = Promise.withResolvers<object>();
  const claimed = Array.from({ length: 33 }, (_, at) =>
    claim(messages, message({ serviceId: `${at}` }), () => promise),
  );
  assert.deepEqual(claimed.map(({ kind }) => kind).slice(31), ['new', 'full']);
  resolve({});
  for (const each of claimed) if ('message' in each) await each.message.ready;
  const last = claim(messages, message({ serviceId: '32' }), nothing);
  assert.ok('message' in last);
  await last.message.ready;
});

test('a message that was said not to exist is not carried out, nor is a repeat that has come meanwhile', async (t) => {
  const { open } = opened(t);
  const messages = await open();
  const claimed = claim(messages, message(), nothing);
  assert.ok('message' in claimed);
  await claimed.message.ready;
  claimed.message.isStarted = true;
  messages.forget(claimed.message);
  assert.deepEqual([claimed.message.isAborted, claimed.message.isStarted], [true, false]);
  assert.equal(claim(messages, message(), nothing).kind, 'void');
});

test('the file does not grow without end', async (t) => {
  const { file, clock, open } = opened(t);
  const atMs = clock.now().getTime();
  const line = `${JSON.stringify({ ...message(), atMs })}\n`;
  appendFileSync(file, line.repeat(10_000));
  const messages = await open();
  const claimed = claim(messages, message({ serviceId: '2' }), nothing);
  assert.ok('message' in claimed);
  await claimed.message.ready;
  assert.equal(readFileSync(file, 'utf8').split('\n').length, 3);
});
