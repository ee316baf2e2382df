import { encodeTlv } from '../../emv/tlv.ts';
import type { CardAtHand, CardReference } from '../../ports/acquirer-host.ts';
import type { EncryptedPin } from '../../ports/pin-pad.ts';

/** Marks the reader's encrypted objects, whatever the cipher (fixtures/README.md). */
const encryptedMarker = 0xc1;

/** Key serial numbers of TDES DUKPT (ANSI X9.24-1:2009) and AES DUKPT (X9.24-3:2017). */
const ksnBytes: readonly number[] = [10, 12];

const cipherBytesMax = 127;

/** Field 48 of a card that was just presented: track 2 data (EMV tag 57), and the serial number of its PIN's key. Throws RangeError. */
export function trackEnvelope({ ksn, encryptedTrack2, pin }: CardAtHand): Uint8Array {
  const track = envelope(0x57, ksn, encryptedTrack2);
  return pin ? Buffer.concat([track, encodeTlv([['DFEE51', pin.ksn]])]) : track;
}

/**
 * Field 52. It has eight bytes, so that a block of format 0 under TDES DUKPT is all that it can hold: one of format 4 has
 * sixteen. Throws RangeError.
 */
export function pinBlock(pin: EncryptedPin | undefined): Uint8Array | undefined {
  if (!pin) return undefined;
  if (pin.format !== 'ISO-0' || pin.block.length !== 8) throw new RangeError('field 52 is a PIN block of format 0');
  if (pin.ksn.length !== 10) throw new RangeError(`the serial number of a PIN key has 10 bytes, not ${pin.ksn.length}`);
  return pin.block;
}

/** Field 48 of all that refers back to a card: its number alone (EMV tag 5A). Throws RangeError. */
export function numberEnvelope({ ksn, encryptedPan }: CardReference): Uint8Array {
  return envelope(0x5a, ksn, encryptedPan);
}

/**
 * The reader's own objects unchanged, `DFEE12 <KSN> <tag> C1 <length> <ciphertext>`. Assumed layout (fixtures/README.md):
 * real hosts each have their own envelope. Throws RangeError for data that no reader can have given.
 */
function envelope(tag: 0x57 | 0x5a, ksn: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  if (!ksnBytes.includes(ksn.length)) {
    throw new RangeError(`a key serial number has 10 or 12 bytes, not ${ksn.length}`);
  }
  if (ciphertext.length === 0 || ciphertext.length > cipherBytesMax) {
    throw new RangeError(`card ciphertext has 1 to ${cipherBytesMax} bytes, not ${ciphertext.length}`);
  }
  const key = encodeTlv([['DFEE12', ksn]]);
  return Buffer.concat([key, Uint8Array.of(tag, encryptedMarker, ciphertext.length), ciphertext]);
}
