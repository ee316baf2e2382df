/** Numbers of digits: from 14, the fewest, to 19. */
const anyLength = [14, 15, 16, 17, 18, 19];
const sixteenUp = [16, 17, 18, 19];

/**
 * How card numbers look (ISO/IEC 7812-1): the leading digits and lengths that the payment brands of the PCI SSC have
 * published, and a Luhn check digit. Each range is that of the first four digits. Maestro numbers of 12 to 15 digits
 * are left out, because articles have those: an EAN-13 may begin with 50, 57 or 6. So are those of JCB with 15, because
 * times begin with 1800, and those of Visa with 13, because none is issued any more.
 */
const schemes: readonly (readonly [first: number, last: number, lengths: readonly number[]])[] = [
  // Visa
  [4000, 4999, [16, 19]],
  // Mastercard
  [5100, 5599, [16]],
  [2221, 2720, [16]],
  // American Express
  [3400, 3499, [15]],
  [3700, 3799, [15]],
  // JCB
  [3528, 3589, sixteenUp],
  // Diners
  [3000, 3059, anyLength],
  [3090, 3099, anyLength],
  [3600, 3699, anyLength],
  [3800, 3999, anyLength],
  // Maestro
  [5000, 5099, sixteenUp],
  [5600, 5899, sixteenUp],
  // UnionPay, Discover, Maestro
  [6000, 6999, sixteenUp],
  // UnionPay
  [8100, 8199, sixteenUp],
];

export const cardNumberDigits = { min: 14, max: 19 } as const;

/** By the first four digits, a bit for each length that a card number may have. */
const lengthBits = new Uint32Array(10_000);
for (const [first, last, lengths] of schemes) {
  lengthBits.fill(
    lengths.reduce((bits, length) => bits | (1 << length), 0),
    first,
    last + 1,
  );
}

/** Whether a card number of any length may begin here, by the leading digits. */
function mayBegin(digits: string, first: number): boolean {
  return lengthBitsAt(digits, first) !== 0;
}

function lengthBitsAt(digits: string, first: number): number {
  let prefix = 0;
  for (let at = first; at < first + 4; at++) prefix = prefix * 10 + digits.charCodeAt(at) - zero;
  return lengthBits[prefix] ?? 0;
}

const zero = 48;

/** Whether these digits, without separators, are a card number by their length, leading digits and check digit. */
export function isCardNumber(digits: string, first = 0, end = digits.length): boolean {
  const length = end - first;
  const { min, max } = cardNumberDigits;
  if (length < min || length > max || (lengthBitsAt(digits, first) & (1 << length)) === 0) return false;
  return passesLuhn(digits, first, end);
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string, first: number, end: number): boolean {
  let sum = 0;
  let isDoubled = false;
  for (let at = end - 1; at >= first; at--, isDoubled = !isDoubled) {
    const digit = digits.charCodeAt(at) - zero;
    const value = isDoubled ? digit * 2 : digit;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** Digits in a row. `at`: the index of the first in the text's characters. */
export interface DigitRun {
  readonly digits: string;
  readonly at: number;
}

/** The indexes of all digits of these runs. */
export function placesOf(runs: readonly DigitRun[]): readonly number[] {
  return runs.flatMap(({ digits, at }) => Array.from(digits, (_digit, place) => at + place));
}

/** Runs of digits of any script. */
export function digitRuns(characters: readonly string[]): readonly DigitRun[] {
  const runs: DigitRun[] = [];
  let digits = '';
  for (let place = 0; place <= characters.length; place++) {
    const digit = digitOf(characters[place] ?? '');
    if (digit !== undefined) {
      digits += digit;
    } else if (digits !== '') {
      runs.push({ digits, at: place - digits.length });
      digits = '';
    }
  }
  return runs;
}

/** Whether these runs together have enough digits for a card number. */
export function areEnough(runs: readonly DigitRun[]): boolean {
  return runs.reduce((sum, { digits }) => sum + digits.length, 0) >= cardNumberDigits.min;
}

/**
 * Runs of digits that one number may consist of, in chains: between two runs of a chain there are at most three spaces,
 * dashes or invisible characters in any mixture, or one other separator, which is then the same throughout.
 */
export function chainsOf(runs: readonly DigitRun[], characters: readonly string[]): readonly (readonly DigitRun[])[] {
  const soft = chain(runs, characters, (gap) => (softGap.test(gap) ? 'soft' : undefined));
  const hard = chain(runs, characters, (gap) => (hardGap.test(gap) ? gap : undefined));
  return [...soft, ...hard.filter((each) => each.length > 1)];
}

const softGap = /^[\p{Z}\p{Pd}\p{Cf}\p{Cc}\u2212]{1,3}$/u;
const hardGap = /^[.,/_·•:;|]$/u;

/**
 * The places of each card number that consists of whole groups of a chain, each of at most `groupMax` digits. Takes
 * time in proportion to the chain: from each group on, at most 19 digits are examined.
 */
export function* groupedNumbers(runs: readonly DigitRun[], groupMax: number): Generator<readonly number[]> {
  const digits = joined(runs);
  let begin = 0;
  for (let first = 0; first < runs.length; first++) {
    if (mayBegin(digits, begin)) {
      let end = begin;
      for (let last = first; last < runs.length; last++) {
        const length = lengthOf(runs[last]);
        end += length;
        if (length > groupMax || end - begin > cardNumberDigits.max) break;
        if (last > first && isCardNumber(digits, begin, end)) yield placesOf(runs.slice(first, last + 1));
      }
    }
    begin += lengthOf(runs[first]);
  }
}

function joined(runs: readonly DigitRun[]): string {
  return runs.map(({ digits }) => digits).join('');
}

/** How the schemes group a number on a card, and its length. */
const layouts: readonly (readonly [groups: readonly number[], length: number])[] = [
  [[4, 4, 4, 4], 16],
  [[4, 4, 4, 4, 3], 19],
  [[4, 6, 5], 15],
  [[4, 6, 4], 14],
];
const anyGap = /^[\p{Z}\p{Pd}\p{Cf}\p{Cc}\u2212.,/_·•:;|]+$/u;
/** As far apart as on paper with 48 columns. */
const wideGapMax = 40;

/**
 * The places of card numbers in runs with any gap between them, which is the same throughout, if they are grouped as on
 * a card or digit by digit. Other groups that far apart are columns of amounts.
 */
export function* laidOutNumbers(
  runs: readonly DigitRun[],
  characters: readonly string[],
): Generator<readonly number[]> {
  const kindOf = (gap: string) => (anyGap.test(gap) ? gap : undefined);
  for (const each of chain(runs, characters, kindOf, wideGapMax)) {
    const digits = joined(each);
    let begin = 0;
    for (let first = 0; first < each.length; first++) {
      if (mayBegin(digits, begin)) {
        const count = laidOutAt(each, first, digits, begin);
        if (count > 0) yield placesOf(each.slice(first, first + count));
      }
      begin += lengthOf(each[first]);
    }
  }
}

/**
 * How many runs from `first` on are a card number, the most if several are; 0 if none. Their digits begin at `begin`.
 */
function laidOutAt(runs: readonly DigitRun[], first: number, digits: string, begin: number): number {
  let found = 0;
  if (lengthOf(runs[first]) === 4) {
    for (const [groups, length] of layouts) {
      const isLaidOut = groups.every((each, at) => each === lengthOf(runs[first + at]));
      if (isLaidOut && isCardNumber(digits, begin, begin + length)) found = Math.max(found, groups.length);
    }
    return found;
  }
  const { min, max } = cardNumberDigits;
  for (let count = 1; count <= max && lengthOf(runs[first + count - 1]) === 1; count++) {
    if (count >= min && isCardNumber(digits, begin, begin + count)) found = count;
  }
  return found;
}

function lengthOf(run: DigitRun | undefined): number {
  return run?.digits.length ?? 0;
}

/** A new chain begins wherever two gaps are not of one kind. A run between two kinds is in both chains. */
function chain(
  runs: readonly DigitRun[],
  characters: readonly string[],
  kindOf: (gap: string) => string | undefined,
  gapMax = 3,
): DigitRun[][] {
  const chains: DigitRun[][] = [];
  let [current, kind]: [DigitRun[], string | undefined] = [[], undefined];
  let before: DigitRun | undefined;
  for (const run of runs) {
    const gap = before && gapBetween(before, run, characters, gapMax);
    const next = gap === undefined ? undefined : kindOf(gap);
    if (before === undefined || next === undefined || (kind !== undefined && next !== kind)) {
      current = next !== undefined && before ? [before, run] : [run];
      chains.push(current);
    } else current.push(run);
    [kind, before] = [next, run];
  }
  return chains;
}

/** Undefined if it is longer than any that a number is written with. */
function gapBetween(
  before: DigitRun,
  run: DigitRun,
  characters: readonly string[],
  gapMax: number,
): string | undefined {
  const end = before.at + before.digits.length;
  if (run.at - end > gapMax) return undefined;
  return run.at - end === 1 ? characters[end] : characters.slice(end, run.at).join('');
}

/** The digits outside ASCII that have occurred, and other numerals: Unicode has 1,900 in all. */
const numerals = new Map<string, string | undefined>();

function digitOf(character: string): string | undefined {
  if (character < '\u0080') return character >= '0' && character <= '9' ? character : undefined;
  if (!numeral.test(character)) return undefined;
  if (!numerals.has(character)) numerals.set(character, digitOfNumeral(character));
  return numerals.get(character);
}

const numeral = /^\p{N}$/u;

/**
 * Decimal digits stand in rows of ten, from zero on (Unicode, 4.6); superscripts, circled digits and the like are
 * digits by their compatibility decomposition.
 */
function digitOfNumeral(character: string): string | undefined {
  if (!/^\p{Nd}$/u.test(character)) {
    const plain = character.normalize('NFKC');
    return /^\d$/.test(plain) ? plain : undefined;
  }
  const point = character.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(point - before - 1))) before += 1;
  return String(before % 10);
}
