import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Delivery, packed, Unpacker } from '../../../../hw-sim/reader/mms/packets.ts';
import { hex } from '../wire.ts';
import { fixtures, messagesOf, reportsOf } from './wire.ts';

const published = [...fixtures.values()].filter(({ reports }) => reports !== undefined);

describe('published reports', () => {
  test('there are enough of them', () => {
    assert.ok(published.length >= 6, `${published.length}`);
  });

  for (const { name, hex: message, reports = [] } of published) {
    test(`${name}: packed`, () => {
      assert.deepEqual(
        packed(hex(message))
          .toString('hex')
          .match(/.{128}/g),
        reports,
      );
    });

    test(`${name}: unpacked`, () => {
      const unpacker = new Unpacker();
      const deliveries = reports.flatMap((report) => unpacker.push(hex(report)));
      assert.deepEqual(deliveries.map(said), [message]);
    });

    test(`${name}: as the tests pack and unpack`, () => {
      assert.equal(reportsOf(message), reports.join(''));
      assert.deepEqual(messagesOf(reports.join('')), [message]);
    });
  }
});

describe('a message of any length', () => {
  test('survives', () => {
    const unpacker = new Unpacker();
    for (let length = 1; length <= 1100; length++) {
      const message = Buffer.from(Array.from({ length }, (_, at) => (at * 7 + length) & 0xff));
      const reports = packed(message).toString('hex');
      assert.equal(reports, reportsOf(message.toString('hex')), `${length} bytes`);
      assert.deepEqual(all(unpacker, reports), [message.toString('hex')], `${length} bytes`);
    }
  });
});

describe('reports that no host should send', () => {
  const long = reportsOf('aa'.repeat(200));
  const [first = '', one = '', two = '', last = ''] = long.match(/.{128}/g) ?? [];
  const single = reportsOf('0102');
  const cases: [name: string, reports: string, said: string[]][] = [
    ['of no known kind', `05${'0'.repeat(126)}`, ['a report of no known kind']],
    ['single, empty', '0'.repeat(128), ['a single report with a length that it can not have']],
    ['single, too long', `003f${'0'.repeat(124)}`, ['a single report with a length that it can not have']],
    ['single, not padded', `${single.slice(0, -1)}1`, ['a single report that is not filled with zeros']],
    ['first of a short one', `010000003e${'0'.repeat(118)}`, ['a first report of a message that fits a single one']],
    [
      'first of a giant',
      `0100000801${'0'.repeat(118)}`,
      ['a first report of a message that is longer than this reader takes'],
    ],
    ['middle alone', one, ['a middle report without a first one']],
    ['last alone', last, ['a last report without a first one']],
    ['the second middle first', first + two, ['a middle report out of its turn']],
    ['a middle twice', first + one + one, ['a middle report out of its turn']],
    [
      'a middle too many',
      `${first + one + two}020003${'a'.repeat(122)}`,
      ['a middle report where the last one is due'],
    ],
    ['last too early', first + one + last, ['a last report with a length that does not add up']],
    ['last, not padded', `${first + one + two + last.slice(0, -1)}1`, ['a last report that is not filled with zeros']],
    ['single inside', first + single, ['a report that begins a message inside another', '0102']],
    ['a new one inside', first + one + long, ['a report that begins a message inside another', 'aa'.repeat(200)]],
    ['cancel of nothing', `04${'0'.repeat(126)}`, ['a cancel report without a message']],
  ];
  for (const [name, reports, expected] of cases) {
    test(`${name}: said, and the next message is taken`, () => {
      const unpacker = new Unpacker();
      assert.deepEqual(all(unpacker, reports), expected);
      assert.deepEqual(
        all(unpacker, reports.endsWith(long) ? '' : long).slice(-1),
        reports.endsWith(long) ? [] : ['aa'.repeat(200)],
      );
    });
  }

  test('a cancelled message never was', () => {
    const unpacker = new Unpacker();
    assert.deepEqual(all(unpacker, `${first + one}04${'0'.repeat(126)}${single}`), ['0102']);
    assert.deepEqual(all(unpacker, two), ['a middle report without a first one']);
  });
});

function all(unpacker: Unpacker, reports: string): string[] {
  return (reports.match(/.{128}/g) ?? []).flatMap((report) => unpacker.push(hex(report))).map(said);
}

function said(delivery: Delivery): string {
  return delivery.kind === 'message' ? delivery.message.toString('hex') : delivery.why;
}
