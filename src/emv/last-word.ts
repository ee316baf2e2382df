import { cvmText } from './cvm.ts';
import { cryptogramText } from './cryptogram.ts';
import { tsiTexts, tvrTexts } from './verification-results.ts';

type Emv = ReadonlyMap<string, Uint8Array>;

const nothing = new Uint8Array();

/** What went wrong between a card's first word and its last: the bits of 95 that it has set since. Empty where there is none. */
export function troubleSince(first: Emv, last: Emv): string[] {
  const before = new Set(tvrTexts(first.get('95') ?? nothing));
  return tvrTexts(last.get('95') ?? nothing).filter((text) => !before.has(text));
}

/** A card's last word in a line of a log: kind of cryptogram, verification results, status, and how the holder was verified. */
export function lastWordText(first: Emv, last: Emv): string {
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
