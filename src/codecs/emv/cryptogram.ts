/** Cryptogram Information Data, tag 9F27: EMV 4.3 Book 3, 6.5.5.4, Table 14. */
export type Cryptogram = 'AAC' | 'TC' | 'ARQC';

/** Bits 8 and 7. */
const kinds: ReadonlyMap<number, Cryptogram> = new Map([
  [0x00, 'AAC'],
  [0x40, 'TC'],
  [0x80, 'ARQC'],
]);

const adviceRequired = 0x08;

/** Bits 3 to 1. */
const reasons: ReadonlyMap<number, string> = new Map([
  [0x01, 'service not allowed'],
  [0x02, 'PIN try limit exceeded'],
  [0x03, 'issuer authentication failed'],
]);

/** The kind of cryptogram in one byte of 9F27; undefined for a reserved value. */
export function cryptogramKind(information: number): Cryptogram | undefined {
  return kinds.get(information & 0xc0);
}

/** One byte of 9F27 as text: 'AAC', 'AAC, advice required, issuer authentication failed'. */
export function cryptogramText(information: number): string {
  const reason = information & 0x07;
  return [
    cryptogramKind(information) ?? 'reserved kind of cryptogram',
    ...((information & adviceRequired) === 0 ? [] : ['advice required']),
    ...(reason === 0 ? [] : [reasons.get(reason) ?? `reason ${reason} (reserved)`]),
  ].join(', ');
}
