import { type IsPadding, isZero, parseTlv, TlvError } from '../../codecs/emv/tlv.ts';
import type { EmvData } from '../../base/ports/card-reader.ts';

/** Issuer authentication data and issuer scripts: all that a card may get from its host's field 55. */
const issuerTags: readonly string[] = ['91', '71', '72'];

/** The first bytes of the scripts' tags. */
const scripts: readonly number[] = [0x71, 0x72];

/**
 * Hosts fill field 55 with FF, too, which means as little as 00 does (ISO/IEC 7816-4:1995, Annex D; EMV has only 00).
 * FF also begins a private tag, whose second byte is below 80 in EMV (EMV 4.3 Book 3, Annex B1: at most two bytes); none
 * of these is read here, and a script behind FF is a script.
 */
const isPadding: IsPadding = (bytes, offset) => {
  if (isZero(bytes, offset)) return true;
  if (bytes[offset] !== 0xff) return false;
  const next = bytes[offset + 1] ?? 0;
  return next === 0 || next >= 0x80 || scripts.includes(next);
};

/**
 * What field 55 has for the card; undefined if it is no list of data objects. A second object of a kind is left out: it
 * does not affect the payment. So is an empty one, which tells the card nothing.
 */
export function readIssuerData(chipData: Uint8Array = new Uint8Array(0)): EmvData | undefined {
  const data = new Map<string, Uint8Array>();
  try {
    for (const { tag, value } of parseTlv(chipData, isPadding)) {
      if (issuerTags.includes(tag) && value.length > 0 && !data.has(tag)) data.set(tag, Uint8Array.from(value));
    }
  } catch (error) {
    if (error instanceof TlvError) return undefined;
    throw error;
  }
  return data;
}
