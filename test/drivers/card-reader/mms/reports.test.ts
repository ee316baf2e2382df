import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageJoiner, messageBytesMax, splitMessage } from '../../../../drivers/card-reader/mms/reports.ts';
import { reportsOf } from './stage.ts';
import { bytes, hex, messages } from './fixture-messages.ts';

const counted = (length: number) => Uint8Array.from({ length }, (_, i) => i & 0xff);
const joined = (reports: readonly Uint8Array[], joiner = new MessageJoiner()) =>
  reports.map((report) => joiner.push(Uint8Array.from(report)));

test('the fixtures: reports as the vendor’s own code cuts them', () => {
  const carried = messages.filter(({ reports }) => reports !== undefined);
  assert.ok(carried.length >= 7);
  for (const { name, hex: message, reports = [] } of carried) {
    assert.deepEqual(splitMessage(bytes(message)).map(hex), reports, name);
    const found = joined(reports.map(bytes));
    assert.deepEqual(found.pop(), bytes(message), name);
    assert.ok(
      found.every((each) => each === undefined),
      name,
    );
  }
});

test('every length passes, and is cut as the device cuts it', () => {
  const joiner = new MessageJoiner();
  for (let length = 1; length <= 700; length++) {
    const reports = splitMessage(counted(length));
    assert.deepEqual(reports, reportsOf(counted(length)), `${length}`);
    assert.deepEqual(joined(reports, joiner).pop(), counted(length), `${length}`);
    assert.equal(joiner.unfinished, false);
  }
  assert.deepEqual(joined(splitMessage(counted(messageBytesMax)), joiner).pop(), counted(messageBytesMax));
  assert.throws(() => splitMessage(counted(messageBytesMax + 1)), RangeError);
});

test('a message that is cut off by another is lost, and the other is not', () => {
  const joiner = new MessageJoiner();
  const [first, second] = splitMessage(counted(200));
  assert.ok(first && second);
  joined([first, second], joiner);
  assert.deepEqual(joined(splitMessage(counted(10)), joiner), [counted(10)]);
  joined([first, second], joiner);
  assert.deepEqual(joined(splitMessage(counted(90)), joiner), [undefined, counted(90)]);
});

test('a cancelled message is no message, and no error', () => {
  const joiner = new MessageJoiner();
  const [first, ...rest] = splitMessage(counted(200));
  assert.ok(first);
  const cancel = new Uint8Array(64);
  cancel[0] = 0x04;
  assert.deepEqual(joined([first, cancel], joiner), [undefined, undefined]);
  assert.equal(joiner.unfinished, false);
  assert.ok(joined(rest, joiner).every((each) => each === 'corrupt'));
  assert.deepEqual(joined(splitMessage(counted(90)), joiner).pop(), counted(90));
});

test('a report that is missing, doubled, out of turn or damaged: corrupt, never another message', () => {
  const whole = splitMessage(counted(400));
  const wrong: [string, Uint8Array[]][] = [];
  for (let i = 0; i < whole.length; i++) {
    const report = whole[i];
    assert.ok(report);
    if (i < whole.length - 1) wrong.push([`${i} is missing`, whole.filter((_, at) => at !== i)]);
    if (i > 0) wrong.push([`${i} is doubled`, [...whole.slice(0, i), report, ...whole.slice(i)]]);
    const next = whole[i + 1];
    if (next) wrong.push([`${i} after ${i + 1}`, [...whole.slice(0, i), next, report, ...whole.slice(i + 2)]]);
    for (const [at, to] of [
      [0, 0x05],
      [0, 0xff],
      ...(i === 0 ? [[4, 0x00] as const, [1, 0x01] as const, [2, 0xff] as const, [3, 0xff] as const] : []),
      ...(i === whole.length - 1 ? [[1, 0] as const, [1, 63] as const, [1, 255] as const] : []),
    ] as const) {
      const damaged = Uint8Array.from(report);
      damaged[at] = to;
      wrong.push([`byte ${at} of ${i} is ${to}`, whole.map((each, index) => (index === i ? damaged : each))]);
    }
  }
  for (const [name, reports] of wrong) {
    const found = joined(reports);
    assert.ok(found.includes('corrupt'), name);
    assert.ok(
      found.every((each) => each === undefined || each === 'corrupt' || hex(each) === hex(counted(400))),
      name,
    );
  }
});

test('lengths that no report can have', () => {
  for (const length of [0, 63, 64, 255]) {
    assert.deepEqual(joined([Uint8Array.from({ length: 64 }, (_, i) => (i === 1 ? length : 0))]), ['corrupt']);
  }
  const first = (total: number) =>
    Uint8Array.of(0x01, total >>> 24, (total >>> 16) & 0xff, (total >>> 8) & 0xff, total & 0xff, ...new Uint8Array(59));
  for (const total of [0, 1, 62, messageBytesMax + 1, 0x7fffffff, 0xffffffff]) {
    assert.deepEqual(joined([first(total)]), ['corrupt'], `${total}`);
  }
  assert.deepEqual(joined([first(63)]), [undefined]);
  assert.deepEqual(joined([new Uint8Array(63)]), ['corrupt']);
});

test('a message can not grow past its own length', () => {
  const joiner = new MessageJoiner();
  const [first] = splitMessage(counted(63));
  assert.ok(first);
  joined([first], joiner);
  const middle = Uint8Array.of(0x02, 0, 1, ...new Uint8Array(61));
  assert.deepEqual(joined([middle], joiner), ['corrupt']);
  assert.equal(joiner.unfinished, false);
});

test('what was read is wiped', () => {
  const joiner = new MessageJoiner();
  for (const report of splitMessage(counted(200))) {
    joiner.push(report);
    assert.ok(report.every((byte) => byte === 0));
  }
});
