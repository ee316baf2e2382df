import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

const inflated = promisify(inflate);

/**
 * Sizes of the headers and of a table's entry in both formats (W3C WOFF 1.0, 3 and 4; OpenType 1.9, table directory).
 */
const woffHeader = 44;
const woffEntry = 20;
const sfntHeader = 12;
const sfntEntry = 16;

const signature = 'wOFF';

/**
 * The font inside a WOFF 1.0 file. Its tables are decompressed once, outside the event loop: a WOFF reader would do it
 * for every glyph. Rejects with RangeError for a file that is not WOFF.
 */
export async function unpackWoff(woff: Buffer): Promise<Buffer> {
  if (woff.length < woffHeader || woff.toString('latin1', 0, 4) !== signature)
    throw new RangeError('the font file is not a WOFF font');
  const count = woff.readUInt16BE(12);
  const directory = Buffer.alloc(sfntHeader + count * sfntEntry);
  woff.copy(directory, 0, 4, 8);
  directory.writeUInt16BE(count, 4);
  const tables = await Promise.all(Array.from({ length: count }, (_, at) => table(woff, woffHeader + at * woffEntry)));
  let offset = directory.length;
  const parts: Buffer[] = [directory];
  for (const [at, { tag, checksum, data }] of tables.entries()) {
    const entry = sfntHeader + at * sfntEntry;
    tag.copy(directory, entry);
    checksum.copy(directory, entry + 4);
    directory.writeUInt32BE(offset, entry + 8);
    directory.writeUInt32BE(data.length, entry + 12);
    // Tables begin at multiples of four.
    const padding = Buffer.alloc((4 - (data.length % 4)) % 4);
    parts.push(data, padding);
    offset += data.length + padding.length;
  }
  return Buffer.concat(parts);
}

async function table(woff: Buffer, at: number) {
  const [offset, compressed, length] = [
    woff.readUInt32BE(at + 4),
    woff.readUInt32BE(at + 8),
    woff.readUInt32BE(at + 12),
  ];
  const stored = woff.subarray(offset, offset + compressed);
  const data = compressed < length ? await inflated(stored) : stored;
  if (data.length !== length) throw new RangeError('a table of the font is damaged');
  return { tag: woff.subarray(at, at + 4), checksum: woff.subarray(at + 16, at + 20), data };
}
