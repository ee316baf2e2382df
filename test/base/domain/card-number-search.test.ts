import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dividesCardNumber, scrub, showsCardNumber } from '../../../src/base/domain/masking.ts';
import { naiveScrub, naiveShowsCardNumber } from './naive-card-numbers.ts';
import { seed, whole } from './random.ts';

const next = whole(seed);
const some = <T>(values: readonly T[]) => values[next(values.length)] as T;

/** Numbers of each scheme and length, and digits that begin or continue one. */
const numbers = [
  '4761739001010119',
  '4000000000000000006',
  '5413330089010434',
  '2223000010005780',
  '374245455400126',
  '3566002020360505',
  '30569309025904',
  '36000000000000000008',
  '6205500000000000004',
  '6011000990139424',
  '5018000000000009',
  '8171999900000018',
];
const pieces = ['4', '6', '3', '0', '00', '004', '0119', '4761', '7390', '0101', '6205', '5000', '16', '016', '454554'];
const separators = ['', ' ', ' ', '-', '  ', '   ', '     ', '.', '/', ' . ', '\u00a0', '\u200b', '\n', '|', 'x', '½'];
/** Digits of other scripts by their zero; and superscripts. */
const zeros = [0x30, 0x30, 0x30, 0x660, 0xff10, 0x1d7d8, 0x2080];

/** A number divided anywhere, by one separator or by several. */
function dividedNumber(): string {
  const usual = some(separators);
  return Array.from(
    some(numbers),
    (digit) => digit + (next(4) === 0 ? (next(6) > 0 ? usual : some(separators)) : ''),
  ).join('');
}

function randomText(): string {
  let text = '';
  for (let count = 1 + next(6); count > 0; count--) {
    const zero = some(zeros);
    const part = next(6) === 0 ? dividedNumber() : some(pieces);
    text += part.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit))) + some(separators);
  }
  return next(8) === 0 ? Array.from(text, (each) => each + some([' ', ' ', '    '])).join('') : text;
}

test(`what is found is what the plainest search finds (seed ${seed})`, () => {
  let [shown, hidden, divided] = [0, 0, 0];
  for (let round = 0; round < 20_000; round++) {
    const text = randomText();
    const note = `seed ${seed}: ${JSON.stringify(text)}`;
    const [scrubbed, isShown] = [scrub(text), showsCardNumber(text)];
    assert.equal(scrubbed, naiveScrub(text), note);
    assert.equal(isShown, naiveShowsCardNumber(text), note);
    if (scrubbed !== text) hidden += 1;
    if (isShown) shown += 1;
    if (round % 5 > 0) continue;
    const halves = next(4) === 0 ? ['4761 7390', '0101 0119'] : [];
    const others = Array.from({ length: next(4) }, () => some([...pieces, 'x', '']));
    const lines = [text, ...others, ...halves, ...others];
    assert.equal(showsCardNumber(...lines), naiveShowsCardNumber(...lines), `seed ${seed}: ${JSON.stringify(lines)}`);
    if (dividesCardNumber(lines)) divided += 1;
  }
  assert.ok(shown > 1_000 && hidden > 1_000 && divided > 100, `${shown} shown, ${hidden} hidden, ${divided} divided`);
  assert.ok(shown < 19_000 && hidden < 19_000, `${shown} shown, ${hidden} hidden`);
});

test('each digit of any script is recognised', () => {
  for (let point = 0; point <= 0x10ffff; point++) {
    const character = String.fromCodePoint(point);
    if (!/^\p{N}$/u.test(character)) continue;
    for (let digit = 0; digit < 10; digit++) {
      const text = `476173900101011${character}${digit}`;
      assert.equal(showsCardNumber(text), naiveShowsCardNumber(text), `U+${point.toString(16)}`);
      const beside = `4${character}6173900101011${digit}`;
      assert.equal(showsCardNumber(beside), naiveShowsCardNumber(beside), `U+${point.toString(16)}`);
    }
  }
});
