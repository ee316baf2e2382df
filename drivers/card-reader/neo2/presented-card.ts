import { brandOfNumber } from '../../../src/codecs/emv/aid.ts';
import type { EmvData, EncryptedCard, PresentedCard } from '../../../src/base/ports/card-reader.ts';
import { cardApplication } from '../card-application.ts';
import { protocolError } from '../protocol-error.ts';
import type { CardObject } from './card-objects.ts';
import { maskedPan, maskedPanOfTrack2 } from './masked-pan.ts';

type Scheme = EncryptedCard['scheme'];

/** A card with an application and a cryptogram for the issuer. Throws DeviceError 'protocol'. */
export function chipCard(
  entryMode: 'CONTACTLESS' | 'CHIP',
  scheme: Scheme,
  objects: readonly CardObject[],
  emv: EmvData,
): PresentedCard {
  // DF52 comes from a contactless kernel (IDG p.220). On the contact interface only the CVM results count.
  const kept = entryMode === 'CHIP' ? new Map([...emv].filter(([tag]) => tag !== 'DF52')) : emv;
  return {
    entryMode,
    ...cardApplication(emv),
    maskedPan: maskedNumber(objects),
    emv: kept,
    encrypted: encryptedCard(scheme, objects),
    ...(entryMode === 'CHIP' && { awaitsDecision: true }),
  };
}

/** POS entry modes of a magstripe, tag 9F39 (ISO 8583:1987, field 22). */
const magstripeEntryMode: ReadonlyMap<number, 'MAGSTRIPE' | 'FALLBACK'> = new Map([
  [0x90, 'MAGSTRIPE'],
  [0x80, 'FALLBACK'],
]);

/** A card whose magstripe was read: no cryptogram; its number gives the brand. Throws DeviceError 'protocol'. */
export function magstripeCard(scheme: Scheme, objects: readonly CardObject[], emv: EmvData): PresentedCard {
  const mode = emv.get('9F39');
  // The liability for fraud depends on it: a fallback must not be taken for a plain swipe.
  const entryMode = mode?.length === 1 ? magstripeEntryMode.get(mode[0] ?? 0) : undefined;
  if (entryMode === undefined) throw protocolError('a magstripe without its entry mode');
  if (emv.has('9F26') || emv.has('9F27')) throw protocolError('a magstripe with a cryptogram');
  const number = maskedNumber(objects);
  return {
    entryMode,
    aid: '',
    appName: brandOfNumber(number) ?? '',
    maskedPan: number,
    emv,
    encrypted: encryptedCard(scheme, objects),
  };
}

function maskedNumber(objects: readonly CardObject[]): string {
  const fromTrack2 = maskedPanOfTrack2(only(objects, '57', 'masked') ?? new Uint8Array());
  const fromPan = maskedPan(only(objects, '5A', 'masked') ?? new Uint8Array());
  const number = fromPan ?? fromTrack2;
  if (number === undefined) throw protocolError('no masked card number');
  if (fromPan !== undefined && fromTrack2 !== undefined && fromPan !== fromTrack2) {
    throw protocolError('two different card numbers');
  }
  return number;
}

/** Key serial numbers: 10 bytes TDES (ANSI X9.24-1:2009), 12 bytes AES (X9.24-3:2017). Ciphertext: whole blocks. */
function encryptedCard(scheme: Scheme, objects: readonly CardObject[]): EncryptedCard {
  const [ksnBytes, blockBytes] = scheme === 'TDES-DUKPT' ? [10, 8] : [12, 16];
  const ksn = only(objects, 'DFEE12', 'clear');
  if (ksn?.length !== ksnBytes) throw protocolError('no key serial number');
  const ciphertext = (tag: string) => {
    const value = only(objects, tag, 'encrypted');
    if (!value || value.length === 0 || value.length % blockBytes !== 0) throw protocolError(`no ciphertext of ${tag}`);
    return Uint8Array.from(value);
  };
  return { scheme, ksn: Uint8Array.from(ksn), track2: ciphertext('57'), pan: ciphertext('5A') };
}

/** The only object of this tag and form. Throws if there are two, because either could be wrong. */
function only(objects: readonly CardObject[], tag: string, form: CardObject['form']): Uint8Array | undefined {
  const found = objects.filter((object) => object.tag === tag && object.form === form);
  if (found.length > 1) throw protocolError(`two objects ${tag}`);
  return found[0]?.value;
}
