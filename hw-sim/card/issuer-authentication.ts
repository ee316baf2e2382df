import { arpcMethod1, arpcMethod2, type CryptogramScheme, sessionKey } from '../crypto/cryptogram.ts';

/** The first cryptogram of a transaction, and its inputs. */
export interface FirstCryptogram {
  readonly scheme: CryptogramScheme;
  /** The card's master key, 16 bytes. */
  readonly masterKey: Buffer;
  /** 9F36, 2 bytes. */
  readonly atc: Buffer;
  /** 9F26, 8 bytes. */
  readonly arqc: Buffer;
}

/**
 * Whether tag 91 comes from the card's issuer. EMV 4.3 Book 2, 8.2: method 1 is ARPC (8 bytes) and response code (2),
 * which must equal 8A; method 2 is ARPC (4), card status update (4), proprietary data (0 to 8).
 */
export function authenticatesIssuer(first: FirstCryptogram, tag91: Buffer, responseCode: Buffer): boolean {
  const { scheme, masterKey, atc, arqc } = first;
  switch (scheme) {
    case 'CVN10': {
      if (tag91.length !== 10 || !tag91.subarray(8).equals(responseCode)) return false;
      return tag91.subarray(0, 8).equals(arpcMethod1(masterKey, arqc, responseCode));
    }
    case 'CVN18': {
      if (tag91.length < 8 || tag91.length > 16) return false;
      const expected = arpcMethod2(sessionKey(masterKey, atc), arqc, tag91.subarray(4, 8), tag91.subarray(8));
      return tag91.subarray(0, 4).equals(expected);
    }
    default:
      return scheme satisfies never;
  }
}
