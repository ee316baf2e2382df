import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  issuerIdentification,
  lastFourOnly,
  scrub,
  scrubHex,
  showsCardNumber,
} from '../../../src/base/domain/masking.ts';
import { seed, whole } from './random.ts';

const cards = new URL('../../../fixtures/cards/', import.meta.url);
const pans = readdirSync(cards)
  .filter((name) => name.endsWith('.json'))
  .map((name) => (JSON.parse(readFileSync(new URL(name, cards), 'utf8')) as { pan: string }).pan);

test('a card number in superscripts or circled digits, and behind its length in two or three digits, is found', () => {
  const number = '4761739001010119';
  const superscript = Array.from(number, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
  const circled = Array.from(number, (digit) => '⓪①②③④⑤⑥⑦⑧⑨'[Number(digit)]).join('');
  for (const text of [superscript, circled]) {
    assert.equal(showsCardNumber(text), true);
    assert.equal(scrub(text), `${'*'.repeat(12)}${text.slice(-4)}`);
  }
  assert.equal(scrub(`16${number}`), `16${'*'.repeat(12)}0119`);
  assert.equal(scrub(`016${number}`), `016${'*'.repeat(12)}0119`);
});

test('there are test cards', () => {
  assert.ok(pans.length >= 5);
});

test('the last four of what a reader has masked, at the same length', () => {
  assert.equal(lastFourOnly('476173******0119'), '************0119');
  assert.equal(lastFourOnly('374245*****1006'), '***********1006');
  assert.equal(lastFourOnly('476173**0119'), '********0119');
  assert.equal(lastFourOnly('476173*********0119'), '***************0119');
  assert.equal(issuerIdentification('476173******0119'), '476173');
});

test('whatever else comes, no digit gets through', () => {
  const others = [
    '',
    '*',
    '476173*0119',
    '476173**********0119',
    '4761730******0119',
    '47617*******0119',
    '476173CCCCCC0119',
  ];
  for (const text of [
    ...pans,
    ...others,
    ' 476173******0119',
    '476173******0119\n',
    '476173******０119',
    '476173**0***0119',
  ]) {
    assert.doesNotMatch(lastFourOnly(text), /\d/, text);
    assert.equal(issuerIdentification(text), undefined, text);
  }
});

test('a card number is hidden wherever it stands in a text', () => {
  for (const pan of pans) {
    const grouped = pan.replace(/(\d{4})(?=\d)/g, '$1 ');
    const places = [
      pan,
      `pan=${pan}`,
      `"${pan}"`,
      `${pan}D31122011758892800000`,
      `${pan}=31122011758892800000`,
      grouped,
      grouped.replaceAll(' ', '-'),
      `amount 30 ${pan}`,
      `stan 000123 ${pan} 0210`,
      `${pan} 3112`,
      `30-${grouped}-12`,
      `2026-01-01 ${grouped}`,
      `${pan} ${pan}`,
      `a ${pan}, b ${pans[0]}`,
      `${pan.length}${pan}`,
      `5713${pan}3112201`,
      `${'0'.repeat(40)}${pan}${'0'.repeat(40)}`,
    ];
    for (const text of places) {
      const clean = scrub(text).replace(/[ -]/g, '');
      assert.ok(!clean.includes(pan), text);
      assert.ok(!clean.includes(pan.slice(0, -4)), text);
    }
  }
});

test('the last four stay, and so does everything else', () => {
  assert.equal(scrub('pan 4761739001010119, sorry'), 'pan ************0119, sorry');
  const innocent =
    'stan 000123, rrn 123456789013, at 2026-11-21T09:30:00.000Z, id 01KDVDNA000000008000000000, /dev/ttyACM0';
  assert.equal(scrub(innocent), innocent);
  assert.equal(scrub('123456789012'), '123456789012', 'the check digit is wrong, no card has this number');
});

/** The first digits and lengths of each scheme, from the first to the last of its ranges. */
const ranges = [
  ['Visa', '4', '4', [16, 19]],
  ['Mastercard', '51', '55', [16]],
  ['Mastercard, second series', '2221', '2720', [16]],
  ['American Express', '34', '34', [15]],
  ['American Express', '37', '37', [15]],
  ['JCB', '3528', '3589', [16, 17, 18, 19]],
  ['Diners', '300', '305', [14, 16, 19]],
  ['Diners', '36', '36', [14, 16, 19]],
  ['Diners', '38', '39', [14, 16, 19]],
  ['UnionPay', '62', '62', [16, 17, 18, 19]],
  ['UnionPay', '81', '81', [16, 19]],
  ['Discover', '644', '659', [16, 19]],
  ['Maestro', '5018', '5020', [16, 18, 19]],
  ['Maestro', '56', '58', [16, 19]],
] as const;

const next = whole(seed);
const some = <T>(values: readonly T[]) => values[next(values.length)] as T;
const digitsOf = (count: number) => Array.from({ length: count }, () => next(10)).join('');

function anyCardNumber(): string {
  const [, first, last, lengths] = some(ranges);
  const prefix = String(Number(first) + next(Number(last) - Number(first) + 1));
  const digits = prefix + digitsOf(some(lengths) - prefix.length - 1);
  return digits + checkDigit(digits);
}

const separators = [
  '',
  ' ',
  '-',
  '  ',
  ' - ',
  '.',
  '/',
  '_',
  ',',
  ':',
  ';',
  '|',
  '·',
  '\u00a0',
  '\u2009',
  '–',
  '\u200b',
  '\u00ad',
  '\n',
  '\t',
];
/** Digits of other scripts, by their zero. */
const zeros = [0x30, 0x660, 0x6f0, 0x966, 0xff10, 0x1d7d8];

/** As it may be written: grouped as on a card, with one separator, in digits of one script. */
function formOf(pan: string): string {
  const group = some([3, 4, 4, 4, 5, 6]);
  const separator = some(separators);
  const zero = some([0x30, ...zeros]);
  const grouped = pan.replaceAll(new RegExp(`\\d{${group}}(?=\\d)`, 'g'), (digits) => digits + separator);
  return grouped.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

const asDigits = (text: string) =>
  Array.from(text.normalize('NFKC'), (each) => {
    const zero = zeros.find((one) => (each.codePointAt(0) ?? 0) >= one && (each.codePointAt(0) ?? 0) < one + 10);
    return zero === undefined ? '' : String((each.codePointAt(0) ?? 0) - zero);
  }).join('');

test(`a card number of any scheme is hidden and refused, in whatever form it is written (seed ${seed})`, () => {
  for (let round = 0; round < 5_000; round++) {
    const pan = anyCardNumber();
    const number = formOf(pan);
    const before = some(['', 'x', 'card ', '"', '(', 'a=', ';']);
    const after = some(['', 'y', ' x', '"', '=2512101', 'D2512', '^', ',']);
    const text = before + number + after;
    const left = asDigits(scrub(text));
    assert.equal(left, pan.slice(-4) + asDigits(after), `seed ${seed}: ${JSON.stringify([text, scrub(text)])}`);
    assert.ok(showsCardNumber(text), `seed ${seed}: ${JSON.stringify(text)}`);
  }
});

test(`a log hides a card number that digits run into (seed ${seed})`, () => {
  for (let round = 0; round < 2_000; round++) {
    const pan = anyCardNumber();
    for (const text of [
      pan + digitsOf(1 + next(10)),
      // 17 and 17 digits may be a time in nanoseconds.
      pan.length === 17 ? '' : `${pan.length}${pan}`,
      digitsOf(20 - pan.length + next(20)) + pan,
      digitsOf(20) + pan + digitsOf(20),
      `${digitsOf(6)} ${pan} ${digitsOf(4)}`,
    ]) {
      assert.ok(!scrub(text).includes(pan.slice(0, -4)), `seed ${seed}: ${text}`);
    }
  }
});

/** GS1: weights 1 and 3 from the right. */
function gs1(body: string): string {
  const sum = Array.from(body)
    .toReversed()
    .reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 3 : 1), 0);
  return body + String((10 - (sum % 10)) % 10);
}

const pad = (value: number, width: number) => String(value).padStart(width, '0');
const time = () => `${pad(next(24), 2)}${pad(next(60), 2)}${pad(next(60), 2)}`;
const date = () => `20${pad(24 + next(12), 2)}${pad(1 + next(12), 2)}${pad(1 + next(28), 2)}`;
const gs1Prefixes = ['489', '471', '49', '40', '50', '57', '690', '600', '379', '30', '978', '977', '4'];
const ean13 = () => gs1((some(gs1Prefixes) + digitsOf(12)).slice(0, 12));

/** What tills write that is no card number, whatever its digits. */
const lookAlikes: Readonly<Record<string, () => string>> = {
  'EAN-13': ean13,
  'EAN-13 with words and a quantity': () => `Tea ${ean13()} x${next(20)}`,
  'EAN-13 and a price': () => `${ean13()} ${next(1_000)}.${pad(next(100), 2)}`,
  'a quantity and EAN-13': () => `${1 + next(9)} ${ean13()}`,
  'EAN-8': () => gs1(`48${digitsOf(5)}`),
  'UPC-A': () => gs1(digitsOf(11)),
  'GTIN-14 of no card scheme': () => gs1(some(['1', '2', '7', '8', '9']) + digitsOf(12)),
  'epoch, seconds': () => String(1_700_000_000 + next(900_000_000)),
  'epoch, milliseconds': () => String(1_700_000_000 + next(900_000_000)) + digitsOf(3),
  'epoch, microseconds': () => String(1_700_000_000 + next(299_999_999)) + digitsOf(6),
  'epoch, nanoseconds': () => String(1_700_000_000 + next(299_999_999)) + digitsOf(9),
  'date and time': () => date() + time(),
  'date, time, milliseconds': () => date() + time() + digitsOf(3),
  'date and a number': () => date() + digitsOf(8),
  'date, number, number': () => `2026-${pad(1 + next(12), 2)}${pad(1 + next(28), 2)}-${digitsOf(4)}-${digitsOf(4)}`,
  '13 digits that begin with 4': () => `4${digitsOf(12)}`,
  '16 digits from 2730 on': () => `27${pad(30 + next(70), 2)}${digitsOf(12)}`,
  '16 digits below 2221': () => `22${pad(next(21), 2)}${digitsOf(12)}`,
  Octopus: () => digitsOf(9),
  'an IMEI': () => {
    const digits = some(['35', '86', '01']) + digitsOf(12);
    return digits + checkDigit(digits);
  },
  'an ICCID': () => `8985${digitsOf(15)}`,
  'an id of this terminal': () => '01KDVDNA000000008000000000',
  'an address': () => `192.168.${next(256)}.${next(256)}:${next(65_536)}`,
};

for (const [what, one] of Object.entries(lookAlikes)) {
  test(`${what} is no card number (seed ${seed})`, () => {
    for (let round = 0; round < 1_000; round++) {
      const text = one();
      assert.ok(!showsCardNumber(text), `seed ${seed}: ${text}`);
      if (!/ \d|^\d+ /.test(text)) assert.equal(scrub(text), text, `seed ${seed}`);
    }
  });
}

test('a card number whose groups stand far apart is found, whatever stands between them', () => {
  const gaps = [
    '    ',
    '\t',
    '\t\t',
    '\u00a0'.repeat(5),
    ' \u00a0 \u2009 ',
    '\n\n',
    '\r\n    ',
    ' / ',
    ' . ',
    '--',
    '....',
    ' | ',
  ];
  for (const gap of [...gaps, ' '.repeat(10), ' '.repeat(40)]) {
    for (const groups of [
      '4761 7390 0101 0119',
      '3742 454554 00126',
      '6205 5000 0000 0000 004',
      '4 7 6 1 7 3 9 0 0 1 0 1 0 1 1 9',
    ]) {
      const text = groups.replaceAll(' ', gap);
      assert.ok(showsCardNumber(text), JSON.stringify(text));
      const shown = Array.from(scrub(`Card ${text}!`)).filter((each) => /\d/.test(each));
      assert.equal(shown.join(''), groups.replaceAll(' ', '').slice(-4), JSON.stringify(text));
    }
  }
});

test(`columns of amounts and pairs of telephone numbers that stand far apart are no card number (seed ${seed})`, () => {
  const amount = () => `${1 + next(999)}.${pad(next(100), 2)}`;
  const columns: (() => string)[] = [
    () => Array.from({ length: 4 }, amount).join(some(['    ', '      '])),
    () => Array.from({ length: 3 + next(3) }, () => String(1 + next(99_999)).padStart(9)).join(''),
    () => `${digitsOf(4)} ${digitsOf(4)} / ${digitsOf(4)} ${digitsOf(4)}`,
    () => `${digitsOf(8)}    ${digitsOf(8)}`,
    () => `${date()}     ${digitsOf(6)}     ${digitsOf(4)}`,
    () => Array.from({ length: 8 }, () => pad(next(100), 2)).join('    '),
  ];
  for (const one of columns) {
    let refused = 0;
    for (let round = 0; round < 2_000; round++) if (showsCardNumber(one())) refused += 1;
    assert.ok(refused <= 2, `seed ${seed}: ${one()}: ${refused}`);
  }
});

test('a slip of articles, a line each, shows no card number', () => {
  for (let round = 0; round < 500; round++) assert.ok(!showsCardNumber(...Array.from({ length: 10 }, ean13)));
});

test('a card number that is divided between lines is shown; lines with words end it', () => {
  assert.ok(showsCardNumber('Card', '4761 7390', '0101 0119', 'Thanks'));
  assert.ok(!showsCardNumber('4761 7390', 'and', '0101 0119'));
  assert.ok(!showsCardNumber('4761 7390', '0101 0118'));
});

/** ISO/IEC 7812-1, annex B. */
function checkDigit(digits: string): number {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, place) => {
      const value = Number(digit) * (place % 2 === 0 ? 2 : 1);
      return total + Math.floor(value / 10) + (value % 10);
    }, 0);
  return (10 - (sum % 10)) % 10;
}

// A pattern that backtracks would not end within the test's limit.
test('a long text costs little', { timeout: 10_000 }, () => {
  for (const text of ['1 '.repeat(10_000), '9'.repeat(20_000), '1234-'.repeat(5_000)]) {
    assert.equal(scrub(text).length, text.length);
  }
});

test('what was hidden stays as it is, also where visible digits begin another number with those after them', () => {
  const made = '6205.5000.0000.0000.0045000.0000.0000.0045000.0000.0000.0045000.0000.0000.004';
  const hidden = scrub(made);
  assert.notEqual(hidden, made);
  assert.equal(scrub(hidden), hidden);
});

test('a card number in bytes is hidden at any half-byte', () => {
  const number = '4761739001010119';
  const hidden = `${'*'.repeat(12)}0119`;
  for (const [before, after] of [
    ['', ''],
    ['01', ''],
    ['0', 'F'],
    ['0601', '9999'],
    ['99999999999999999999', '11'],
  ] as const) {
    const shown = scrubHex(Uint8Array.from(Buffer.from(before + number + after, 'hex')));
    assert.equal(shown, before + hidden + after);
  }
});

test('a card number in bytes is hidden as digits of ASCII and EBCDIC, and in groups', () => {
  const number = '4761739001010119';
  const zoned = (digits: string, zone: number) => Array.from(digits, (digit) => zone + Number(digit));
  for (const [what, bytes] of [
    ['ASCII', [0xab, ...zoned(number, 0x30), 0x00]],
    ['between other digits', [...zoned(`1${number}2`, 0x30)]],
    ['EBCDIC', [0x40, ...zoned(number, 0xf0), 0x40]],
    ['groups', Buffer.from('No 4761 7390 0101 0119', 'latin1')],
  ] as const) {
    const shown = scrubHex(Uint8Array.from(bytes));
    assert.equal(shown.length, 2 * bytes.length, what);
    assert.match(shown, /^(?:[0-9A-F]{2}){0,3}\*{2}/, what);
    // A single half-byte may be hidden as well, because the digits are also read as half-bytes.
    const digits = (shown.match(/../g) ?? []).filter((each) => /^[3F]\d$/.test(each)).map((each) => each[1]);
    assert.ok(digits.length <= 6, `${what}: ${shown}`);
  }
});

test('bytes without a card number stay as they are', () => {
  for (const hex of [
    '',
    '00',
    '12345678901234',
    '06010A03A0B800',
    '4761739001010118',
    'FFFF9876543210E00001',
    '0'.repeat(64),
  ])
    assert.equal(scrubHex(Uint8Array.from(Buffer.from(hex, 'hex'))), hex);
});
