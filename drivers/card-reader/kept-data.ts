import { type Cryptogram, cryptogramKind } from '../../src/codecs/emv/cryptogram.ts';
import type { EmvData } from '../../src/base/ports/card-reader.ts';
import { protocolError } from './protocol-error.ts';

/** Tags that may be kept in the clear, because field 55 and the receipt need them. All others are dropped. */
const keptTags: ReadonlySet<string> = new Set(
  (
    '9F26 9F27 9F10 9F37 9F36 95 9A 9C 9F02 5F2A 82 9F1A 9F03 9F33 9F34 9F35 9F1E 84 9F09 9F41 9F63 ' +
    '50 9F12 9B 5F34 9F39 DF52 9F6E 9F7C 4F'
  ).split(' '),
);

/** Copies of the clear objects that may be kept. Throws DeviceError 'protocol' if two of the same tag differ. */
export function keptData(
  objects: Iterable<{ readonly tag: string; readonly value: Uint8Array }>,
): Map<string, Uint8Array> {
  const emv = new Map<string, Uint8Array>();
  for (const { tag, value } of objects) {
    if (!keptTags.has(tag)) continue;
    const known = emv.get(tag);
    if (known && Buffer.compare(known, value) !== 0) throw protocolError(`two different ${tag}`);
    emv.set(tag, Uint8Array.from(value));
  }
  return emv;
}

/** The kind of the card's application cryptogram (9F27). Throws DeviceError 'protocol' if there is none. */
export function cryptogramOf(emv: EmvData): Cryptogram {
  const information = emv.get('9F27');
  if (information?.length !== 1 || emv.get('9F26')?.length !== 8) throw protocolError('no cryptogram');
  const kind = cryptogramKind(information[0] ?? 0);
  if (kind === undefined) throw protocolError('a reserved kind of cryptogram');
  return kind;
}
