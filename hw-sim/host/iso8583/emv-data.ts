/**
 * EMV data objects of field 55: BER-TLV, primitive and flat (EMV 4.3 Book 3, annex B). Tags and values are upper-case
 * hexadecimal text.
 */
export class MalformedObjects extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'MalformedObjects';
  }
}

const objectsMax = 64;
const constructedBit = 0x20;
const moreTagBytes = 0x1f;

/** Objects in the order in which they came. Throws MalformedObjects for anything cut, repeated or constructed. */
export function parseEmvData(hex: string): Map<string, string> {
  const bytes = Buffer.from(hex, 'hex');
  const objects = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const tagLength = tagLengthAt(bytes, at);
    const tag = hexOf(bytes, at, tagLength);
    at += tagLength;
    let length = byteAt(bytes, at++);
    // Values of 128 bytes and more take the form 81 LL; field 55 itself ends at 255 bytes.
    if (length === 0x81) length = byteAt(bytes, at++);
    else if (length > 0x7f) throw new MalformedObjects(`a length that field 55 can't hold, tag ${tag}`);
    if (objects.has(tag)) throw new MalformedObjects(`tag ${tag} twice`);
    if (objects.size === objectsMax) throw new MalformedObjects(`more than ${objectsMax} objects`);
    objects.set(tag, hexOf(bytes, at, length));
    at += length;
  }
  return objects;
}

/** The objects in a row, as hexadecimal text; values are shorter than 128 bytes. */
export function emvDataText(objects: Iterable<readonly [tag: string, value: string]>): string {
  let text = '';
  for (const [tag, value] of objects) {
    const length = value.length / 2;
    if (!Number.isInteger(length) || length > 0x7f) throw new RangeError(`tag ${tag} of ${length} bytes`);
    text += tag + length.toString(16).padStart(2, '0').toUpperCase() + value;
  }
  return text;
}

function tagLengthAt(bytes: Buffer, at: number): number {
  const first = byteAt(bytes, at);
  if (first === 0) throw new MalformedObjects('padding between objects');
  if ((first & constructedBit) !== 0) throw new MalformedObjects('a constructed object');
  if ((first & moreTagBytes) !== moreTagBytes) return 1;
  return (byteAt(bytes, at + 1) & 0x80) === 0 ? 2 : 3;
}

function byteAt(bytes: Buffer, at: number): number {
  if (at >= bytes.length) throw new MalformedObjects('ends inside an object');
  return bytes.readUInt8(at);
}

function hexOf(bytes: Buffer, at: number, length: number): string {
  if (at + length > bytes.length) throw new MalformedObjects('ends inside an object');
  return bytes.toString('hex', at, at + length).toUpperCase();
}
