const mtis: Readonly<Record<string, string>> = {
  '0100': 'authorization',
  '0200': 'request',
  '0220': 'advice',
  '0221': 'advice, repeated',
  '0320': 'batch upload',
  '0321': 'batch upload, repeated',
  '0400': 'reversal',
  '0401': 'reversal, repeated',
  '0500': 'settlement',
  '0800': 'network management',
};
const processing: Readonly<Record<string, string>> = {
  '000000': '',
  '020000': 'of a void or tip',
  '200000': 'of a refund',
  '220000': 'of the void of a refund',
  '910000': 'sign-on',
  '920000': '',
  '930000': 'exchange of keys',
  '950000': 'sign-off',
  '960000': 'behind its upload',
  '990000': 'echo',
};
const codes: Readonly<Record<string, string>> = {
  '00': 'done',
  '05': 'declined',
  '12': 'not possible',
  '13': 'not this amount',
  '25': 'no record of it',
  '51': 'insufficient funds',
  '55': 'wrong PIN',
  '57': 'not permitted',
  '88': 'has another key',
  '91': 'issuer not available',
  '94': 'has this trace number already',
  '95': 'other totals',
  '96': 'not now',
};
const respcds: Readonly<Record<string, string>> = {
  '0000': 'done',
  '1101': 'can not be reversed',
  '1102': 'has this number already',
  '1104': 'no such parameter',
  '1136': 'no such order',
  '1142': 'closed',
  '1143': 'not paid yet',
  '1145': 'under way',
  '1181': 'expired',
  '1260': 'paid already',
  '1261': 'not paid',
  '1268': 'no such order',
  '2011': 'has this number already',
};
const currencies: Readonly<Record<string, string>> = { '344': 'HKD', '156': 'CNY', '840': 'USD' };

/** Describes an ISO 8583 message: "0400 000000 trace 12". */
export function messageWords(text: string): string {
  return text.replace(/^(\d{4}) (\d{6}|undefined) trace/, (whole, mti: string, code: string) => {
    const name = mtis[mti];
    return name === undefined ? whole : `${mti} ${[name, processing[code] ?? code].filter(Boolean).join(' ')}, trace`;
  });
}

/** Describes a host's answer: its code with words. */
export function codeWords(actor: string, text: string): string {
  if (!actor.endsWith('host')) return text;
  return text.replaceAll(/\b(\d{2}|\d{4})(?=$|, in truth)/g, (code) => {
    const words = codes[code] ?? respcds[code];
    return words === undefined ? code : `${code}, ${words}`;
  });
}

/** Formats minor units as an amount. */
export function currencyWords(text: string): string {
  return text
    .replaceAll(/(\d+) minor units of (\d{3})/g, (_whole, minor: string, code: string) =>
      money(minor, currencies[code] ?? code),
    )
    .replaceAll(/(?<![.\d])(\d+) (HKD|CNY|USD)\b/g, (_whole, minor: string, code: string) => money(minor, code));
}

function money(minor: string, currency: string): string {
  const digits = minor.padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)} ${currency}`;
}
