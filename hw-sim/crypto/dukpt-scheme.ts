import { aesBlockBytes } from './aes.ts';
import { blockBytes } from './des.ts';
import * as tdes from './dukpt.ts';
import * as aes from './dukpt-aes.ts';
import { encryptedPinBlockFormat4, pinBlockFormat0 } from './pin-block.ts';

/** The operations of a device with its DUKPT keys, for either cipher. */
export interface DukptScheme {
  readonly name: 'TDES' | 'AES';
  readonly blockBytes: number;
  /** Throws RangeError if the initial key has no transaction left. */
  readonly nextKsn: (ksn: Buffer) => Buffer;
  /** `clear` is whole blocks. */
  readonly encryptData: (bdk: Buffer, ksn: Buffer, clear: Buffer) => Buffer;
  /** ISO 9564-1 format 0 with TDES, format 4 with AES. `random` fills a format 4 block. */
  readonly encryptPin: (
    bdk: Buffer,
    ksn: Buffer,
    pin: { readonly digits: string; readonly pan: string },
    random: (bytes: number) => Buffer,
  ) => Buffer;
}

const schemes: Readonly<Record<DukptScheme['name'], DukptScheme>> = {
  TDES: {
    name: 'TDES',
    blockBytes,
    nextKsn: tdes.nextKsn,
    encryptData: tdes.encryptData,
    encryptPin: (bdk, ksn, { digits, pan }) => tdes.encryptPinBlock(bdk, ksn, pinBlockFormat0(digits, pan)),
  },
  AES: {
    name: 'AES',
    blockBytes: aesBlockBytes,
    nextKsn: aes.nextKsn,
    encryptData: aes.encryptData,
    encryptPin: (bdk, ksn, { digits, pan }, random) =>
      encryptedPinBlockFormat4(aes.pinKey(bdk, ksn), digits, pan, random(8)),
  },
};

/** The scheme by the length of a key serial number: 12 bytes are AES (X9.24-3:2017), 10 are TDES (X9.24-1:2009). */
export function dukptScheme(ksn: Buffer): DukptScheme {
  return ksn.length === aes.ksnBytes ? schemes.AES : schemes.TDES;
}
