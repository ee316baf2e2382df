/**
 * The search for card numbers in its plainest form: each group of digits is joined to those after it, anew for each
 * start. Slow on long texts. It decides what `scrub` and `showsCardNumber` must find.
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

const cardNumberDigits = { min: 14, max: 19 } as const;

function isCardNumber(digits: string): boolean {
  return schemeNumber.test(digits) && passesLuhn(digits);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

interface DigitRun {
  readonly digits: string;
  readonly places: readonly number[];
}

function chainsOf(characters: readonly string[]): readonly (readonly DigitRun[])[] {
  const runs = runsIn(characters);
  const soft = chain(runs, characters, (gap) => (softGap.test(gap) ? 'soft' : undefined));
  const hard = chain(runs, characters, (gap) => (hardGap.test(gap) ? gap : undefined));
  return [...soft, ...hard.filter((each) => each.length > 1)];
}

const softGap = /^[\p{Z}\p{Pd}\p{Cf}\p{Cc}\u2212]{1,3}$/u;
const hardGap = /^[.,/_·•:;|]$/u;

const layouts: ReadonlySet<string> = new Set(['4,4,4,4', '4,4,4,4,3', '4,6,5', '4,6,4']);
const anyGap = /^[\p{Z}\p{Pd}\p{Cf}\p{Cc}\u2212.,/_·•:;|]+$/u;
const wideGapMax = 40;

function* laidOutNumbers(characters: readonly string[]): Generator<readonly number[]> {
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

function gapBetween(
  before: DigitRun,
  run: DigitRun,
  characters: readonly string[],
  gapMax: number,
): string | undefined {
  const [end = 0, start = 0] = [before.places.at(-1), run.places[0]];
  return start - end - 1 > gapMax ? undefined : characters.slice(end + 1, start).join('');
}

function digitOf(character: string): string | undefined {
  if (character < '\u0080') return character >= '0' && character <= '9' ? character : undefined;
  if (!/^\p{Nd}$/u.test(character)) {
    const plain = character.normalize('NFKC');
    return /^\d$/.test(plain) ? plain : undefined;
  }
  const point = character.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(point - before - 1))) before += 1;
  return String(before % 10);
}

export function naiveScrub(text: string): string {
  let hidden = text;
  for (let pass = 0; pass < passesMax; pass++) {
    const before = hidden;
    hidden = hideNumbers(before);
    if (hidden === before) return hidden;
  }
  return hidden.replaceAll(/\p{Nd}/gu, '*');
}

const passesMax = 16;

function hideNumbers(text: string): string {
  if (text.length < cardNumberDigits.min) return text;
  const characters = Array.from(text);
  for (const runs of chainsOf(characters)) {
    for (const places of [...runs.flatMap((run) => [...maskIn(run)]), ...groupsIn(runs, cardNumberDigits.max)]) {
      for (const place of places.slice(0, -4)) characters[place] = '*';
    }
  }
  for (const places of laidOutNumbers(characters)) {
    for (const place of places.slice(0, -4)) characters[place] = '*';
  }
  return characters.join('');
}

const printedGroupMax = 6;

export function naiveShowsCardNumber(...texts: readonly string[]): boolean {
  return [...texts, ...joinLines(texts)].map((text) => Array.from(text)).some(showsOne);
}

function showsOne(characters: readonly string[]): boolean {
  const isIn = (runs: readonly DigitRun[]) =>
    runs.some(({ digits }) => isCardNumber(digits)) || groupsIn(runs, printedGroupMax).next().done === false;
  return chainsOf(characters).some(isIn) || laidOutNumbers(characters).next().done === false;
}

function joinLines(texts: readonly string[]): readonly string[] {
  const joined: string[][] = [[]];
  for (const text of texts) {
    if (/^[\p{Nd}\p{Z}\p{Pd}]+$/u.test(text)) joined.at(-1)?.push(text.trim());
    else joined.push([]);
  }
  return joined.filter((lines) => lines.length > 1).map((lines) => lines.join(' '));
}

function* maskIn({ digits, places }: DigitRun): Generator<readonly number[]> {
  const { min, max } = cardNumberDigits;
  const isEmbedded = digits.length > max;
  for (let first = 0; first + min <= digits.length; first++) {
    if (!isEmbedded && first > 0 && !isBehindLength(digits, first)) continue;
    const most = Math.min(first + max, digits.length);
    for (let end = first + min; end <= most; end++) {
      if (isCardNumber(digits.slice(first, end))) yield places.slice(first, end);
    }
  }
}

function isBehindLength(digits: string, first: number): boolean {
  const follow = digits.length - first;
  return (first === 2 || first === 3) && follow <= 16 && Number(digits.slice(0, first)) === follow;
}

function* groupsIn(runs: readonly DigitRun[], groupMax: number): Generator<readonly number[]> {
  for (const first of runs.keys()) {
    let digits = '';
    const places: number[] = [];
    for (const run of runs.slice(first, first + cardNumberDigits.max)) {
      if (run.digits.length > groupMax || digits.length + run.digits.length > cardNumberDigits.max) break;
      digits += run.digits;
      places.push(...run.places);
      if (digits.length > run.digits.length && isCardNumber(digits)) yield [...places];
    }
  }
}
