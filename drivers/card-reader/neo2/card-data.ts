import { sensitiveTags } from '../../../src/codecs/emv/tags.ts';
import { TlvError } from '../../../src/codecs/emv/tlv.ts';
import { keptData } from '../device-lane.ts';
import { protocolError } from '../protocol-error.ts';
import { cardObjects, type CardObject } from './presented-card.ts';
import { maskedPan, maskedPanOfTrack2 } from './masked-pan.ts';

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

/** Refuses sensitive objects that are neither masked nor encrypted: the reader has lost its keys or its settings. */
function refuseClear(objects: readonly CardObject[]): void {
  for (const { tag, form, value } of objects) {
    if (!sensitiveTags.has(tag) || form === 'encrypted') continue;
    if (form === 'clear') {
      // A cardholder's name in the clear is only dropped: nobody can pay with it.
      if (tag !== '5F20') throw protocolError(`tag ${tag} in the clear`);
    } else if (tag === '57' ? maskedPanOfTrack2(value) === undefined : tag === '5A' && maskedPan(value) === undefined) {
      throw protocolError(`tag ${tag} is not masked`);
    }
  }
}

/** Copies of the objects that may be kept. Throws DeviceError 'protocol' if two of the same tag differ. */
export function keptObjects(objects: readonly CardObject[]): Map<string, Uint8Array> {
  return keptData(objects.filter(({ form }) => form === 'clear'));
}
