import { cvmText } from './cvm.ts';
import { cryptogramText } from './cryptogram.ts';
import { tsiTexts, tvrTexts } from './verification-results.ts';

type Emv = ReadonlyMap<string, Uint8Array>;

const nothing = new Uint8Array();

/** The bits of tag 95 that were set between the first and the last data of a card, as text. */
export function faultsSince(first: Emv, last: Emv): string[] {
  const before = new Set(tvrTexts(first.get('95') ?? nothing));
  return tvrTexts(last.get('95') ?? nothing).filter((text) => !before.has(text));
}

/**
 * The last data of a card as a line for the log: kind of cryptogram, verification results, status, and the verification
 * of the cardholder.
 */
export function secondCryptogramText(first: Emv, last: Emv): string {
  const [information] = last.get('9F27') ?? nothing;
  const cvm = first.get('9F34');
  return [
    information === undefined ? 'no cryptogram' : cryptogramText(information),
    ...label('TVR', tvrTexts(last.get('95') ?? nothing)),
    ...label('TSI', tsiTexts(last.get('9B') ?? nothing)),
    ...label('CVM', cvm ? [cvmText(cvm)] : []),
  ].join('; ');
}

function label(name: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [`${name}: ${texts.join(', ')}`];
}
