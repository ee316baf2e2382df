import { encodeTlv } from '../../emv/tlv.ts';

/** Attribution byte of the reader's encrypted objects (fixtures/README.md): which cipher hid the value. */
const attributions: readonly { readonly ksnBytes: number; readonly attribution: number }[] = [
  { ksnBytes: 10, attribution: 0xc1 }, // TDES DUKPT, ANSI X9.24-1:2009
  { ksnBytes: 12, attribution: 0xc3 }, // AES DUKPT, ANSI X9.24-3:2017
];

const cipherBytesMax = 127;

/**
 * Field 48: the reader's own objects unchanged, `DFEE12 <KSN> <tag> <attribution> <length> <ciphertext>`. The length of
 * the key serial number tells the cipher. Assumed layout (fixtures/README.md): real hosts each have their own envelope.
 * Throws RangeError for data that no reader can have given.
 */
export function cardEnvelope(tag: 0x57 | 0x5a, ksn: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  const scheme = attributions.find(({ ksnBytes }) => ksnBytes === ksn.length);
  if (!scheme) throw new RangeError(`a key serial number has 10 or 12 bytes, not ${ksn.length}`);
  if (ciphertext.length === 0 || ciphertext.length > cipherBytesMax) {
    throw new RangeError(`card ciphertext has 1 to ${cipherBytesMax} bytes, not ${ciphertext.length}`);
  }
  const key = encodeTlv([['DFEE12', ksn]]);
  return Buffer.concat([key, Uint8Array.of(tag, scheme.attribution, ciphertext.length), ciphertext]);
}
