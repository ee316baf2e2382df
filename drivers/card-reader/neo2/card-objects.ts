import { parseTlv, readLength, readTag, readValue, TlvError } from '../../../src/codecs/emv/tlv.ts';

/**
 * The data objects of an answer to 02-40. Sensitive ones have a marker byte between tag and length and come twice:
 * `57 A1 <length> <masked>` and `57 C1 <length> <ciphertext>` (fixtures/README.md).
 */
export interface CardObject {
  /** Upper-case hex. */
  readonly tag: string;
  readonly form: 'clear' | 'masked' | 'encrypted';
  /** A view of the bytes that were parsed. */
  readonly value: Uint8Array;
}

const markers: ReadonlyMap<number, CardObject['form']> = new Map([
  [0xa1, 'masked'],
  [0xc1, 'encrypted'],
]);

/** Groups that contain further objects. Other constructed tags (FFEE1F) contain plain bytes. */
const groups: ReadonlySet<string> = new Set(['E1', 'FF8105', 'FFEE01', '70', '77']);

const depthMax = 4;
const objectsMax = 256;

/** All objects, including those inside the reader's groups, without the groups themselves. Throws TlvError. */
export function cardObjects(bytes: Uint8Array): CardObject[] {
  const objects: CardObject[] = [];
  gather(bytes, 0, objects);
  return objects;
}

function gather(bytes: Uint8Array, depth: number, into: CardObject[]): void {
  if (depth >= depthMax) throw new TlvError('too-deep', 0);
  let at = 0;
  while (at < bytes.length) {
    if (bytes[at] === 0) {
      at++; // Zero bytes between objects mean nothing: EMV 4.3 Book 3, Annex B1.
      continue;
    }
    if (into.length >= objectsMax) throw new TlvError('too-many', at);
    const tag = readTag(bytes, at);
    // As BER lengths A1 and C1 would announce 33 and 65 length bytes, which is impossible: a marker can't be a length.
    const form = markers.get(bytes[tag.next] ?? 0);
    const length = readLength(bytes, tag.next + (form === undefined ? 0 : 1));
    const value = readValue(bytes, length.next, length.value);
    at = length.next + length.value;
    if (groups.has(tag.value) && form === undefined) gather(value, depth + 1, into);
    else into.push({ tag: tag.value, form: form ?? 'clear', value });
  }
}

const errorTag = [0xff, 0xee, 0x1f] as const;

/**
 * FFEE1F from the data of a failed 02-40, with or without an attribution byte before the objects: error code, SW1,
 * SW2, RF state (IDG p.32). Empty if it is missing.
 */
export function readerError(data: Uint8Array): Uint8Array {
  // As every reader was seen to say it: the reader is armed again the sooner the less is made of it.
  const at = data[0] === errorTag[0] ? 0 : 1;
  const length = data[at + errorTag.length] ?? 0;
  const begin = at + errorTag.length + 1;
  if (length < 0x80 && begin + length === data.length && errorTag.every((byte, index) => data[at + index] === byte)) {
    return data.subarray(begin);
  }
  // The first byte shows which form it is: FF begins the tag. The right form is tried first, because a failure builds
  // a stack trace.
  for (const skip of data[0] === 0xff ? [0, 1] : [1, 0]) {
    try {
      const found = parseTlv(data.subarray(skip)).find((object) => object.tag === 'FFEE1F');
      if (found) return found.value;
    } catch (error) {
      if (!(error instanceof TlvError)) throw error;
    }
  }
  return new Uint8Array();
}
