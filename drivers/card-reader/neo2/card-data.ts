import { type Cryptogram, cryptogramKind } from '../../../src/emv/cryptogram.ts';
import { sensitiveTags } from '../../../src/emv/tags.ts';
import { TlvError } from '../../../src/emv/tlv.ts';
import type { EmvData } from '../../../src/ports/card-reader.ts';
import { DeviceError } from '../../../src/ports/device.ts';
import { cardObjects, type CardObject } from './card-objects.ts';
import { maskedPan, maskedPanOfTrack2 } from './masked-pan.ts';

/** What of a card may be kept in the clear: field 55 and the receipt need it. Everything else is dropped. */
const keptTags: ReadonlySet<string> = new Set(
  (
    '9F26 9F27 9F10 9F37 9F36 95 9A 9C 9F02 5F2A 82 9F1A 9F03 9F33 9F34 9F35 9F1E 84 9F09 9F41 9F63 ' +
    '50 9F12 9B 5F34 9F39 DF52 9F6E 9F7C 4F'
  ).split(' '),
);

/** Reads data objects, and refuses card data in the clear. Views of `bytes`. Throws DeviceError 'protocol'. */
export function readObjects(bytes: Uint8Array): CardObject[] {
  try {
    const objects = cardObjects(bytes);
    refuseClear(objects);
    return objects;
  } catch (error) {
    if (error instanceof TlvError) throw protocolError(error.message);
    throw error;
  }
}

/** Not masked, not encrypted, and should be: the reader has lost its keys or its settings. */
function refuseClear(objects: readonly CardObject[]): void {
  for (const { tag, form, value } of objects) {
    if (!sensitiveTags.has(tag) || form === 'encrypted') continue;
    if (form === 'clear') {
      // A cardholder's name in the clear is dropped like all that is not kept; it pays for nothing.
      if (tag !== '5F20') throw protocolError(`tag ${tag} in the clear`);
    } else if (tag === '57' ? maskedPanOfTrack2(value) === undefined : tag === '5A' && maskedPan(value) === undefined) {
      throw protocolError(`tag ${tag} is not masked`);
    }
  }
}

/** Copies of the objects that may be kept. Throws DeviceError 'protocol' where two of them differ. */
export function keptData(objects: readonly CardObject[]): Map<string, Uint8Array> {
  const emv = new Map<string, Uint8Array>();
  for (const { tag, form, value } of objects) {
    if (form !== 'clear' || !keptTags.has(tag)) continue;
    const known = emv.get(tag);
    if (known && Buffer.compare(known, value) !== 0) throw protocolError(`two different ${tag}`);
    emv.set(tag, Uint8Array.from(value));
  }
  return emv;
}

/** What the card said with its application cryptogram. Throws DeviceError 'protocol' where there is none. */
export function cryptogramOf(emv: EmvData): Cryptogram {
  const information = emv.get('9F27');
  if (information?.length !== 1 || emv.get('9F26')?.length !== 8) throw protocolError('no cryptogram');
  const kind = cryptogramKind(information[0] ?? 0);
  if (kind === undefined) throw protocolError('a reserved kind of cryptogram');
  return kind;
}

/** Its message names tags and offsets, never a value. */
export function protocolError(what: string): DeviceError {
  return new DeviceError('protocol', `card answer: ${what}`);
}
