import { encodeTlv } from '../../codecs/emv/tlv.ts';
import type { CardAtHand, CardReference } from '../../payment/contracts/acquirer-host.ts';
import type { EncryptedPin } from '../../base/ports/pin-pad.ts';

/** Marks the reader's encrypted objects, whatever the cipher (fixtures/README.md). */
const encryptedMarker = 0xc1;

/** Key serial numbers of TDES DUKPT (ANSI X9.24-1:2009) and AES DUKPT (X9.24-3:2017). */
const ksnBytes: readonly number[] = [10, 12];

const cipherBytesMax = 127;

/** Bytes of a PIN block and of its key's serial number: format 0 is under TDES DUKPT, format 4 under AES DUKPT. */
const pinForms = { 'ISO-0': { block: 8, ksn: 10 }, 'ISO-4': { block: 16, ksn: 12 } } as const;

/**
 * Field 48 of a card that was just presented: track 2 data (EMV tag 57), then the serial number of its PIN key, and the
 * PIN block itself if field 52 has no room for it. Throws RangeError.
 */
export function trackEnvelope({ ksn, encryptedTrack2, pin }: CardAtHand): Uint8Array {
  const track = envelope(0x57, ksn, encryptedTrack2);
  if (!pin) return track;
  const key = encodeTlv([['DFEE51', checkPin(pin).ksn]]);
  if (pin.format === 'ISO-0') return Buffer.concat([track, key]);
  return Buffer.concat([track, key, Uint8Array.of(0x99, encryptedMarker, pin.block.length), pin.block]);
}

/**
 * Field 52: a PIN block of format 0, eight bytes. A block of format 4 is in field 48 (fixtures/README.md). Throws
 * RangeError.
 */
export function pinBlock(pin: EncryptedPin | undefined): Uint8Array | undefined {
  return pin?.format === 'ISO-0' ? checkPin(pin).block : undefined;
}

function checkPin(pin: EncryptedPin): EncryptedPin {
  const { block, ksn } = pinForms[pin.format];
  if (pin.block.length !== block) throw new RangeError(`a PIN block of ${pin.format} has ${block} bytes`);
  if (pin.ksn.length !== ksn) throw new RangeError(`the serial number of its PIN key has ${ksn} bytes`);
  return pin;
}

/** Field 48 of a message that refers to an earlier card: only the card number (EMV tag 5A). Throws RangeError. */
export function numberEnvelope({ ksn, encryptedPan }: CardReference): Uint8Array {
  return envelope(0x5a, ksn, encryptedPan);
}

/**
 * The reader's own objects unchanged, `DFEE12 <KSN> <tag> C1 <length> <ciphertext>`. Assumed layout
 * (fixtures/README.md): each real host has its own envelope. Throws RangeError for data that no reader can produce.
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
