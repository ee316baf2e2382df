/**
 * What may be seen of a card number. A reader hands out first six and last four (PCI DSS v4, 3.4.1); an answer, a
 * receipt and the journal show only the last four (SPEC §2.3).
 *
 * Masks fail closed: whatever does not look like a card number with its middle hidden comes out as asterisks.
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

const candidate = /\d(?:[ -]?\d){11,18}/g;

/** Hides every run of 12 to 19 digits that passes the Luhn check: the last net under a log line. */
export function scrubbed(text: string): string {
  return text.replace(candidate, (run) => {
    const digits = run.replace(/\D/g, '');
    return luhn(digits) ? `${'*'.repeat(digits.length - 4)}${digits.slice(-4)}` : run;
  });
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
