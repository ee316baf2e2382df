import {
  areEnough,
  cardNumberDigits,
  chainsOf,
  digitRuns,
  type DigitRun,
  groupedNumbers,
  isCardNumber,
  laidOutNumbers,
  placesOf,
} from './card-number.ts';

/**
 * The digits of a card number that may be visible. A reader provides the first six and last four digits (PCI DSS v4,
 * 3.4.1); an answer, a receipt and the journal show the last four only (SPEC §2.3). Masks fail closed: a value that is
 * not a card number with a masked middle becomes asterisks.
 */
const readerMask = /^(\d{6})([*]{2,9})(\d{4})$/;

/** '476173******0119' → '************0119'. */
export function lastFourOnly(readerMasked: string): string {
  const match = readerMask.exec(readerMasked);
  if (!match?.[3]) return '*'.repeat(16);
  return match[3].padStart(readerMasked.length, '*');
}

/** The issuer identification number of a masked card number, for routing: '476173'. */
export function issuerIdentification(readerMasked: string): string | undefined {
  return readerMask.exec(readerMasked)?.[1];
}

/**
 * The last safeguard for log lines: hides all but the last four digits of a card number. Digits that form one number
 * are masked together: digits of a card scheme's leading digits and length that pass the Luhn check, in a row or in
 * groups. So the numbers that tills count with (times, EAN, order numbers) stay readable. It fails closed where digits
 * run on: a number at the beginning of longer digits, behind its own length as ISO 8583 writes it, and anywhere in more
 * than 19 digits is hidden too.
 */
export function scrub(text: string): string {
  let hidden = text;
  for (let pass = 0; pass < passesMax; pass++) {
    const before = hidden;
    hidden = hideNumbers(before);
    if (hidden === before) return hidden;
  }
  return hidden.replaceAll(/\p{Nd}/gu, '*');
}

/**
 * The four digits that stay visible may begin a number with what follows them, so a text is searched until no more are
 * found. Only a text constructed for it takes more than a few passes.
 */
const passesMax = 16;

function hideNumbers(text: string): string {
  const characters = Array.from(text);
  const runs = digitRuns(characters);
  if (!areEnough(runs)) return text;
  const hide = (places: readonly number[]) => {
    for (const place of places.slice(0, -4)) characters[place] = '*';
  };
  for (const each of chainsOf(runs, characters)) {
    for (const run of each) for (const places of maskIn(run)) hide(places);
    for (const places of groupedNumbers(each, cardNumberDigits.max)) hide(places);
  }
  for (const places of laidOutNumbers(digitRuns(characters), characters)) hide(places);
  return characters.join('');
}

/**
 * Bytes as hexadecimal, for display. Card numbers are hidden at any position: in half-bytes (BCD), in the digits of
 * ASCII and EBCDIC, and in text as `scrub` finds them. Other digits may directly precede or follow a number.
 */
export function scrubHex(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
  const characters = Array.from(hex);
  const hideByte = (at: number) => characters.fill('*', 2 * at, 2 * at + 2);
  for (const place of numbersIn(hex)) characters[place] = '*';
  for (const zone of ['3', 'F']) {
    const digits = Array.from({ length: bytes.length }, (_, at) => (hex[2 * at] === zone ? hex[2 * at + 1] : ' '));
    for (const place of numbersIn(digits.join(''))) hideByte(place);
  }
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const hidden = scrub(text);
  for (let at = 0; at < text.length; at++) if (hidden[at] !== text[at]) hideByte(at);
  return characters.join('');
}

/** The positions of the digits to hide: of card numbers anywhere in a text, whatever digits surround them. */
function* numbersIn(text: string): Generator<number> {
  const { min, max } = cardNumberDigits;
  for (const { 0: digits, index } of text.matchAll(/[0-9]{14,}/g)) {
    for (let first = 0; first + min <= digits.length; first++) {
      for (let end = first + min; end <= Math.min(first + max, digits.length); end++) {
        if (!isCardNumber(digits, first, end)) continue;
        for (let place = first; place < end - 4; place++) yield index + place;
      }
    }
  }
}

/** More digits in a row are no part of a number that is written in groups: an article's number beside a price. */
const printedGroupMax = 6;

/**
 * Whether texts from outside show a card number: digits by themselves, or in groups as on a card. Narrower than
 * `scrub`, because a till's article and order numbers are shown as well. Texts that follow one another are lines: a
 * number may be divided between them.
 */
export function showsCardNumber(...texts: readonly string[]): boolean {
  return texts.some(showsOne) || dividesCardNumber(texts);
}

/** Whether lines that follow one another show a card number that is divided between them. */
export function dividesCardNumber(lines: readonly string[]): boolean {
  return joinLines(lines).some(showsOne);
}

function showsOne(text: string): boolean {
  const characters = Array.from(text);
  const runs = digitRuns(characters);
  if (!areEnough(runs)) return false;
  if (runs.some(({ digits }) => isCardNumber(digits))) return true;
  const isGrouped = (each: readonly DigitRun[]) => groupedNumbers(each, printedGroupMax).next().done === false;
  return chainsOf(runs, characters).some(isGrouped) || laidOutNumbers(runs, characters).next().done === false;
}

/** Lines that have only digits and separators, joined to such lines after them. */
function joinLines(texts: readonly string[]): readonly string[] {
  const joined: string[][] = [[]];
  for (const text of texts) {
    if (/^[\p{Nd}\p{Z}\p{Pd}]+$/u.test(text)) joined.at(-1)?.push(text.trim());
    else joined.push([]);
  }
  return joined.filter((lines) => lines.length > 1).map((lines) => lines.join(' '));
}

/** The places of each card number within one run of digits that is not shown. */
function* maskIn({ digits, at }: DigitRun): Generator<readonly number[]> {
  const { min, max } = cardNumberDigits;
  const isEmbedded = digits.length > max;
  for (let first = 0; first + min <= digits.length; first++) {
    if (!isEmbedded && first > 0 && !isBehindLength(digits, first)) continue;
    const most = Math.min(first + max, digits.length);
    for (let end = first + min; end <= most; end++) {
      const number = digits.slice(first, end);
      if (isCardNumber(number)) yield placesOf([{ digits: number, at: at + first }]);
    }
  }
}

/**
 * Two or three digits with the length of what follows: a field of variable length (ISO 8583, LLVAR and LLLVAR). For 14
 * to 16 digits: times of 19 digits begin with 17.
 */
function isBehindLength(digits: string, first: number): boolean {
  const follow = digits.length - first;
  return (first === 2 || first === 3) && follow <= 16 && Number(digits.slice(0, first)) === follow;
}
