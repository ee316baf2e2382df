/**
 * What may be visible of a card number. A reader provides the first six and last four digits (PCI DSS v4, 3.4.1); an
 * answer, a receipt and the journal show the last four only (SPEC §2.3).
 * Masks fail closed: a value that is not a card number with a masked middle becomes asterisks.
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

const candidate = /\d(?:[ -]?\d){11,}/g;

/** ISO/IEC 7812-1: a card number has 12 to 19 digits. */
const panDigits = { min: 12, max: 19 };

/**
 * The last safeguard for log lines: hides all but the last four of any 12 to 19 digits that pass the Luhn check,
 * contiguous or in whole groups separated by a space or a dash. It prefers to hide another number rather than show a
 * card number: a length or another number in front of it does not protect the card number from masking.
 */
export function scrub(text: string): string {
  return text.replace(candidate, (run) => {
    const places = [...run.matchAll(/\d/g)].map(({ index }) => index);
    const characters = run.split('');
    for (const [first, last] of cardNumbers(run, places)) {
      for (const place of places.slice(first, last - 3)) characters[place] = '*';
    }
    return characters.join('');
  });
}

/** The first digits and the lengths of the card schemes that a reader here takes. */
const schemeNumber = /^(?:4\d{12}(?:\d{3}){0,2}|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|35\d{14}|6[0-9]\d{14,17})$/;

/**
 * Whether a text from outside shows a card number: digits by themselves or in groups, of a scheme's length and first
 * digits, that pass the Luhn check. Narrower than `scrub`, because a till's article and order numbers are shown as well.
 */
export function showsCardNumber(text: string): boolean {
  return [...text.normalize('NFKC').matchAll(candidate)].some(([run]) => {
    const places = [...run.matchAll(/\d/g)].map(({ index }) => index);
    const digits = run.replace(/\D/g, '');
    const stands = (digit: number) => places[digit] !== (places[digit - 1] ?? -2) + 1;
    return [...cardNumbers(run, places)].some(
      ([first, last]) => stands(first) && stands(last + 1) && schemeNumber.test(digits.slice(first, last + 1)),
    );
  });
}

/** First and last digit of each possible card number in `run`, counted in digits. `places`: the index of each digit. */
function* cardNumbers(run: string, places: readonly number[]): Generator<readonly [first: number, last: number]> {
  const digits = run.replace(/\D/g, '');
  const adjoin = (digit: number) => places[digit] === (places[digit - 1] ?? -2) + 1;
  for (let first = 0; first < digits.length; first++) {
    const most = Math.min(first + panDigits.max, digits.length) - 1;
    for (let last = first + panDigits.min - 1; last <= most; last++) {
      const inARow = (places[last] ?? 0) - (places[first] ?? 0) === last - first;
      const wholeGroups = !adjoin(first) && !adjoin(last + 1);
      if ((inARow || wholeGroups) && luhn(digits.slice(first, last + 1))) yield [first, last];
    }
  }
}

function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
