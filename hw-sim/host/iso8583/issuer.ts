import type { ChipCard } from '../../card/card.ts';
import { cryptogramData } from '../../card/cryptogram-data.ts';
import { applicationCryptogram, arpcMethod1, arpcMethod2, cardMasterKey, sessionKey } from '../../crypto/cryptogram.ts';

/** The issuer's side of one transaction: field 55 by tag (upper-case hexadecimal), with the keys that belong to it. */
export interface IssuerCheck {
  readonly card: ChipCard;
  /** PAN sequence number from field 23, two digits; '00' if the message has none. */
  readonly panSequenceNumber: string;
  readonly emv: ReadonlyMap<string, string>;
}

/**
 * Card status update of ARPC method 2. Approved: byte 2 holds "issuer approves online transaction" (80) and "add the
 * transaction to the offline counter" (03), as jpos/jPOS, CVN18DataBuilder, sends it. Not verified against a scheme.
 */
const csuApproved = Buffer.from('00830000', 'hex');
const csuDeclined = Buffer.alloc(4);

/** Verifies the application cryptogram. Also false if field 55 lacks data that the cryptogram covers. */
export function arqcVerifies(check: IssuerCheck): boolean {
  const data = cryptogramData(check.card, (tag) => element(check, tag));
  const arqc = element(check, '9F26');
  const atc = element(check, '9F36');
  if (data === undefined || arqc === undefined || atc?.length !== 2) return false;
  return applicationCryptogram(check.card.cryptogram.scheme, masterKey(check), atc, data).equals(arqc);
}

/**
 * Issuer authentication data, tag 91, as hexadecimal text: method 1 is ARPC (8 bytes) and response code (2), method 2
 * ARPC (4) and card status update (4). EMV 4.3 Book 2, 8.2. Call it only once the ARQC has verified.
 */
export function issuerAuthenticationData(check: IssuerCheck, responseCode: string): string {
  const arqc = element(check, '9F26');
  const atc = element(check, '9F36');
  if (arqc === undefined || atc === undefined) throw new TypeError('no cryptogram to answer');
  const { scheme } = check.card.cryptogram;
  switch (scheme) {
    case 'CVN10': {
      const arc = Buffer.from(responseCode, 'latin1');
      return hex(Buffer.concat([arpcMethod1(masterKey(check), arqc, arc), arc]));
    }
    case 'CVN18': {
      const csu = responseCode === '00' ? csuApproved : csuDeclined;
      return hex(Buffer.concat([arpcMethod2(sessionKey(masterKey(check), atc), arqc, csu), csu]));
    }
    default:
      return scheme satisfies never;
  }
}

function masterKey({ card, panSequenceNumber }: IssuerCheck): Buffer {
  return cardMasterKey(Buffer.from(card.testKeyImkAc, 'hex'), card.pan, panSequenceNumber);
}

function element({ emv }: IssuerCheck, tag: string): Buffer | undefined {
  const value = emv.get(tag);
  return value === undefined ? undefined : Buffer.from(value, 'hex');
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase();
}
