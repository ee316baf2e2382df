/** Merchant-presented payloads for tests, put together without the code under test. */
export type Objects = readonly (readonly [id: string, value: string])[];

export function objects(parts: Objects): string {
  return parts.map(([id, value]) => `${id}${String(Array.from(value).length).padStart(2, '0')}${value}`).join('');
}

/** The objects, and id 63 behind them. */
export function payload(parts: Objects): string {
  const signed = `${objects(parts)}6304`;
  return signed + checksum(signed);
}

/** CRC-16/CCITT-FALSE as long division of the message by x^16 + x^12 + x^5 + 1, the first 16 bits inverted. */
function checksum(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  let rest = BigInt(`0x${bytes.toString('hex')}0000`) ^ (0xffffn << BigInt(bytes.length * 8));
  for (let bit = bytes.length * 8 + 15; bit >= 16; bit--) {
    if ((rest >> BigInt(bit)) & 1n) rest ^= 0x11021n << BigInt(bit - 16);
  }
  return rest.toString(16).toUpperCase().padStart(4, '0');
}

const account: Objects = [
  ['00', 'hk.com.hkicl'],
  ['02', '166001234'],
];

/** What a code of the Hong Kong Common QR Code Specification has to have, for 30.00 HKD. */
export const hongKong: Objects = [
  ['00', '01'],
  ['01', '12'],
  ['26', objects(account)],
  ['52', '0000'],
  ['53', '344'],
  ['54', '30.00'],
  ['58', 'HK'],
  ['59', 'NA'],
  ['60', 'HK'],
];

/** `parts` with this object in its place, or at the end, or without it. */
export function withObject(parts: Objects, id: string, value: string | undefined): Objects {
  if (value === undefined) return parts.filter(([other]) => other !== id);
  if (!parts.some(([other]) => other === id)) return [...parts, [id, value]];
  return parts.map(([other, old]) => [other, other === id ? value : old]);
}
