import assert from 'node:assert/strict';
import { scrub, showsCardNumber } from '../../../src/base/domain/masking.ts';
import { text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { canary, type Target } from '../target.ts';

const seeds = [
  canary,
  '4761 7390 0101 0119',
  '3742-454554-00126',
  '6205.5000.0000.0000.004',
  ';4761739001010119=25122011758892800000?',
  '{"messageId":"1795656450248000000","time":1795656450248}',
  '4890008100309 128.00',
  '2026-11-26T09:30:00.000Z',
  '٤٧٦١٧٣٩٠٠١٠١٠١١٩',
  '4 '.repeat(64),
  '6.'.repeat(64),
  `${'4761 7390 '.repeat(3)}\n`.repeat(20),
  '4 7 6 1\n'.repeat(40),
].map(text);
const tokens = [
  '4',
  '47',
  '0119',
  '6',
  '16',
  '26',
  '17',
  ' ',
  '-',
  '.',
  '/',
  '  ',
  '\u200b',
  '\n',
  '4 ',
  '6 0 ',
  '4 '.repeat(64),
  '4761 7390\n',
  '0101 0119\n',
  'x',
  '=',
  '９',
  '𝟗',
].map(text);

/** What looks for card numbers in a text: whatever stands around one that is written by itself, it is found. */
export const cardNumbers: Target = {
  name: 'card-numbers',
  share: 4,
  inputs: hostile({ seeds, tokens }),
  check(input) {
    const around = Buffer.from(input).toString('utf8');
    const scrubbed = scrub(around);
    assert.equal(scrub(scrubbed), scrubbed, 'what is hidden stays as it is');
    const [before, after] = [Array.from(around), Array.from(scrubbed)];
    assert.equal(after.length, before.length);
    const changed = before.filter((each, place) => each !== after[place]);
    assert.ok(
      changed.every((each) => /^\p{Nd}$/u.test(each)),
      'only digits are hidden',
    );
    for (const number of [canary, '4761 7390 0101 0119', '4761-7390-0101-0119', '4761.7390.0101.0119']) {
      const written = `${around}x${number}x${around}`;
      const middle = Array.from(scrub(written)).slice(before.length + 1, before.length + 1 + number.length);
      assert.equal(middle.join(''), number.slice(0, -4).replaceAll(/\d/g, '*') + number.slice(-4));
      assert.ok(showsCardNumber(written), 'a card number is not found');
    }
    const lines = around.split('\n');
    assert.ok(showsCardNumber(...lines, 'x', '4761 7390', '0101 0119', 'x', ...lines), 'a divided one is not found');
  },
};
