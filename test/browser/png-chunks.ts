import { crc32 } from 'node:zlib';

/** A chunk of a PNG file (W3C PNG, third edition, 5.3). */
export interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

export function readChunks(png: Uint8Array): Chunk[] {
  const bytes = Buffer.from(png);
  if (!bytes.subarray(0, 8).equals(signature)) throw new Error('this is no PNG');
  const chunks: Chunk[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    chunks.push({ type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

export function writeChunks(chunks: readonly Chunk[]): Buffer {
  const written = chunks.map(({ type, data }) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
  });
  return Buffer.concat([signature, ...written]);
}

/** An animated PNG that begins anew for ever (11.3.9). The frames have one size and one kind of pixel. */
export function animated(frames: readonly { readonly png: Uint8Array; readonly ms: number }[]): Buffer {
  const read = frames.map(({ png, ms }) => ({ chunks: readChunks(png), ms }));
  const header = read[0]?.chunks.find(({ type }) => type === 'IHDR');
  if (!header) throw new Error('an animation needs a frame');
  let sequence = 0;
  const parts = read.flatMap(({ chunks, ms }, index): Chunk[] => {
    const own = chunks.find(({ type }) => type === 'IHDR');
    if (!own?.data.equals(header.data)) throw new Error('the frames differ in size or kind');
    const pixels = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
    const control = { type: 'fcTL', data: Buffer.concat([uint32(sequence++), frameControl(header.data, ms)]) };
    return [
      control,
      index === 0
        ? { type: 'IDAT', data: pixels }
        : { type: 'fdAT', data: Buffer.concat([uint32(sequence++), pixels]) },
    ];
  });
  const control = { type: 'acTL', data: Buffer.concat([uint32(read.length), uint32(0)]) };
  return writeChunks([header, control, ...parts, { type: 'IEND', data: Buffer.alloc(0) }]);
}

/** Size, place, duration; the frame replaces the one before. */
function frameControl(header: Buffer, ms: number): Buffer {
  const duration = Buffer.alloc(6);
  duration.writeUInt16BE(ms, 0);
  duration.writeUInt16BE(1_000, 2);
  return Buffer.concat([header.subarray(0, 8), uint32(0), uint32(0), duration]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
