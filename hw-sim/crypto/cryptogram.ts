import { blockBytes, emvPadded, oddParity, retailMac, tdesEncrypt, xor, zeroPadded } from './des.ts';

/**
 * How the card computes its application cryptogram. CVN10: the card's master key itself, zero padding (Visa Integrated
 * Circuit Card Specification, cryptogram version 10). CVN18: the session key of EMV 4.3 Book 2, A1.3.1 (common session
 * key), EMV padding. Cryptogram version 18 of Visa, 14 (hexadecimal) of Mastercard and the Common Core Definitions'
 * format 5 all work this way, with different data elements.
 */
export type CryptogramScheme = 'CVN10' | 'CVN18';

/**
 * The card's master key, 16 bytes of odd parity, EMV 4.3 Book 2, A1.4.1 (option A).
 * `imk` 16 bytes; `pan` up to 19 digits; `psn` the PAN sequence number, two digits, '00' where the card has none.
 */
export function cardMasterKey(imk: Buffer, pan: string, psn: string): Buffer {
  if (!/^\d{8,19}$/.test(pan)) throw new RangeError('a card number is 8 to 19 digits');
  if (!/^\d\d$/.test(psn)) throw new RangeError('a PAN sequence number is two digits');
  const y = Buffer.from((pan + psn).slice(-16).padStart(16, '0'), 'hex');
  return oddParity(Buffer.concat([tdesEncrypt(imk, y), tdesEncrypt(imk, xor(y, allOnes))]));
}

/**
 * The session key of one transaction, EMV 4.3 Book 2, A1.3.1. `atc` is the application transaction counter, 2 bytes;
 * 8 bytes are used as the diversification value itself. Odd parity, as in the published vectors.
 */
export function sessionKey(mk: Buffer, atc: Buffer): Buffer {
  if (atc.length !== 2 && atc.length !== blockBytes) throw new RangeError(`a counter of ${atc.length} bytes`);
  const r = Buffer.concat([atc, Buffer.alloc(blockBytes - atc.length)]);
  return oddParity(Buffer.concat([tdesEncrypt(mk, withThirdByte(r, 0xf0)), tdesEncrypt(mk, withThirdByte(r, 0x0f))]));
}

/** The application cryptogram (9F26), 8 bytes, over the concatenated data elements of the scheme. */
export function applicationCryptogram(scheme: CryptogramScheme, mk: Buffer, atc: Buffer, data: Buffer): Buffer {
  switch (scheme) {
    case 'CVN10':
      return retailMac(mk, zeroPadded(data));
    case 'CVN18':
      return retailMac(sessionKey(mk, atc), emvPadded(data));
    default:
      return scheme satisfies never;
  }
}

/** ARPC by method 1, 8 bytes, EMV 4.3 Book 2, 8.2.1. `arc` is the authorization response code, 2 bytes of ASCII. */
export function arpcMethod1(key: Buffer, arqc: Buffer, arc: Buffer): Buffer {
  if (arc.length !== 2) throw new RangeError(`a response code of ${arc.length} bytes`);
  return tdesEncrypt(key, xor(arqc, Buffer.concat([arc, Buffer.alloc(blockBytes - arc.length)])));
}

/**
 * ARPC by method 2, 4 bytes, EMV 4.3 Book 2, 8.2.2. `csu` is the card status update, 4 bytes, `proprietary` the
 * proprietary authentication data, up to 8. Tag 91 is then ARPC, CSU, proprietary.
 */
export function arpcMethod2(sk: Buffer, arqc: Buffer, csu: Buffer, proprietary: Buffer = Buffer.alloc(0)): Buffer {
  if (arqc.length !== blockBytes) throw new RangeError(`a cryptogram of ${arqc.length} bytes`);
  if (csu.length !== 4) throw new RangeError(`a card status update of ${csu.length} bytes`);
  if (proprietary.length > 8) throw new RangeError(`proprietary authentication data of ${proprietary.length} bytes`);
  return retailMac(sk, emvPadded(Buffer.concat([arqc, csu, proprietary]))).subarray(0, 4);
}

const allOnes = Buffer.alloc(blockBytes, 0xff);

function withThirdByte(r: Buffer, value: number): Buffer {
  const changed = Buffer.from(r);
  changed[2] = value;
  return changed;
}
