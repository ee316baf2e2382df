/**
 * How card numbers look (ISO/IEC 7812-1): the leading digits and lengths that the payment brands of the PCI SSC have
 * published, and a Luhn check digit. Visa 4 (16 and 19 digits; none of 13 is issued any more), Mastercard 51 to 55 and
 * 2221 to 2720 (16), American Express 34 and 37 (15), JCB 3528 to 3589 (16 to 19), Diners 300 to 305, 309, 36, 38 and 39
 * (14 to 19), Maestro 50 and 56 to 58 (16 to 19), UnionPay, Discover and Maestro 6, UnionPay 81 (16 to 19). Maestro
 * numbers of 12 to 15 digits are left out, because articles have those: an EAN-13 may begin with 50, 57 or 6. So are
 * those of JCB with 15, because times begin with 1800.
 */
const schemeNumber = new RegExp(
  `^(?:${[
    '4\\d{15}(?:\\d{3})?',
    '5[1-5]\\d{14}',
    '2(?:22[1-9]|2[3-9]\\d|[3-6]\\d\\d|7[01]\\d|720)\\d{12}',
    '3[47]\\d{13}',
    '35(?:2[89]|[3-8]\\d)\\d{12,15}',
    '3(?:0[0-59]|[689]\\d)\\d{11,16}',
    '(?:5[06-8]|6\\d|81)\\d{14,17}',
  ].join('|')})$`,
);

export const cardNumberDigits = { min: 14, max: 19 } as const;

/** Whether these digits, without separators, are a card number by their length, leading digits and check digit. */
export function isCardNumber(digits: string): boolean {
  return schemeNumber.test(digits) && passesLuhn(digits);
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Digits in a row. `places`: the index of each in the text's characters. */
export interface DigitRun {
  readonly digits: string;
  readonly places: readonly number[];
}

/**
 * Runs of digits of any script that one number may consist of, in chains: between two runs of a chain there are at most
 * three spaces, dashes or invisible characters in any mixture, or one other separator, which is then the same throughout.
 */
export function chainsOf(characters: readonly string[]): readonly (readonly DigitRun[])[] {
  const runs = runsIn(characters);
  const soft = chain(runs, characters, (gap) => (softGap.test(gap) ? 'soft' : undefined));
  const hard = chain(runs, characters, (gap) => (hardGap.test(gap) ? gap : undefined));
  return [...soft, ...hard.filter((each) => each.length > 1)];
}

const softGap = /^[\p{Z}\p{Pd}\p{Cf}\p{Cc}\u2212]{1,3}$/u;
const hardGap = /^[.,/_·•:;|]$/u;

/** How the schemes group a number on a card; digits one by one besides. */
const layouts: ReadonlySet<string> = new Set(['4,4,4,4', '4,4,4,4,3', '4,6,5', '4,6,4']);
const anyGap = /^[\p{Z}\p{Pd}\p{Cf}\p{Cc}\u2212.,/_·•:;|]+$/u;
/** As far apart as on paper with 48 columns. */
const wideGapMax = 40;

/**
 * Runs with any gap between them, which is the same throughout, if they are grouped as on a card. Other groups that far
 * apart are columns of amounts.
 */
export function* laidOutNumbers(characters: readonly string[]): Generator<readonly number[]> {
  const kindOf = (gap: string) => (anyGap.test(gap) ? gap : undefined);
  for (const runs of chain(runsIn(characters), characters, kindOf, wideGapMax)) {
    for (const first of runs.keys()) {
      for (const count of [3, 4, 5, 14, 15, 16, 17, 18, 19]) {
        const group = runs.slice(first, first + count);
        const lengths = group.map(({ digits }) => digits.length);
        const isLaidOut = layouts.has(String(lengths)) || (count > 5 && lengths.every((length) => length === 1));
        if (group.length === count && isLaidOut && isCardNumber(group.map(({ digits }) => digits).join('')))
          yield group.flatMap(({ places }) => places);
      }
    }
  }
}

function runsIn(characters: readonly string[]): DigitRun[] {
  const runs: DigitRun[] = [];
  let digits = '';
  let places: number[] = [];
  for (let place = 0; place <= characters.length; place++) {
    const digit = digitOf(characters[place] ?? '');
    if (digit !== undefined) {
      digits += digit;
      places.push(place);
    } else if (digits !== '') {
      runs.push({ digits, places });
      [digits, places] = ['', []];
    }
  }
  return runs;
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
  const [end = 0, start = 0] = [before.places.at(-1), run.places[0]];
  return start - end - 1 > gapMax ? undefined : characters.slice(end + 1, start).join('');
}

/**
 * The digit of any script: decimal digits stand in rows of ten, from zero on (Unicode, 4.6); others by their
 * compatibility decomposition.
 */
function digitOf(character: string): string | undefined {
  if (character < '\u0080') return character >= '0' && character <= '9' ? character : undefined;
  if (!/^\p{Nd}$/u.test(character)) {
    // Superscripts, circled digits and the like.
    const plain = character.normalize('NFKC');
    return /^\d$/.test(plain) ? plain : undefined;
  }
  const point = character.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(point - before - 1))) before += 1;
  return String(before % 10);
}
