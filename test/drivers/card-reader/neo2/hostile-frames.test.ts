import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc16 } from '../../../../drivers/card-reader/neo2/crc.ts';
import { dataBytesMax, encodeFrame, FrameDecoder } from '../../../../drivers/card-reader/neo2/frame.ts';

const header = Buffer.from('ViVOtech2\0', 'latin1');
const frameBytesMax = header.length + 4 + dataBytesMax + 2;

/** A reference decoder: it examines each position of the whole stream again, without regard to time. */
function findFrames(stream: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at + 16 <= stream.length; ) {
    const size = 16 + stream.readUInt16BE(at + 12);
    const isWhole = stream.subarray(at, at + 10).equals(header) && size <= frameBytesMax && at + size <= stream.length;
    const frame = stream.subarray(at, at + size);
    if (isWhole && crc16(frame.subarray(0, -2)) === frame.readUInt16BE(size - 2)) {
      found.push(frame.toString('hex'));
      at += size;
    } else at += 1;
  }
  return found;
}

/** xorshift32: the same numbers for the same seed on every machine. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function hostileStream(roll: (below: number) => number): Buffer {
  const pieces: Buffer[] = [];
  for (let count = 0; count < 60; count++) {
    const data = Buffer.from(Array.from({ length: roll(200) }, () => roll(256)));
    const frame = Buffer.from(encodeFrame(roll(256), roll(256), data, 'msb-first'));
    const head = Buffer.concat([header, Buffer.from([roll(256), roll(256), roll(10), roll(256)])]);
    switch (roll(5)) {
      case 0:
        frame[roll(frame.length)] = roll(256);
        break;
      case 1:
        pieces.push(head, frame.subarray(0, roll(frame.length)));
        continue;
      case 2:
        pieces.push(head);
        break;
      case 3:
        pieces.push(data);
    }
    pieces.push(frame);
  }
  return Buffer.concat(pieces);
}

for (let seed = 1; seed <= 20; seed++) {
  test(`frames in a stream that a device has made up, in any pieces: seed ${seed}`, () => {
    const roll = dice(seed);
    const stream = hostileStream(roll);
    const decoder = new FrameDecoder('msb-first');
    const found: string[] = [];
    const take = (decoded: ReturnType<FrameDecoder['push']>) => {
      for (const each of decoded)
        if (each.kind === 'frame')
          found.push(Buffer.from(encodeFrame(each.command, each.status, each.data, 'msb-first')).toString('hex'));
    };
    for (let at = 0; at < stream.length; ) {
      const length = 1 + roll(roll(2) === 0 ? 64 : 3_000);
      take(decoder.push(stream.subarray(at, at + length)));
      at += length;
    }
    take(decoder.giveUp());
    assert.deepEqual(found, findFrames(stream));
    assert.equal(decoder.unfinished, false);
  });
}

/** The processor time for a megabyte of reports full of heads, in milliseconds: the minimum of several tries. */
function timeOf(head: Buffer): number {
  const report = Buffer.concat([head, head, head, head, head]).subarray(0, 63);
  const tries = Array.from({ length: 3 }, () => {
    const decoder = new FrameDecoder('msb-first');
    const before = process.cpuUsage();
    for (let bytes = 0; bytes < 1_000_000; bytes += report.length) decoder.push(report);
    decoder.giveUp();
    return process.cpuUsage(before).user / 1_000;
  });
  return Math.min(...tries);
}

test('heads of long frames within each other take no more time than other bytes', () => {
  const refused = timeOf(Buffer.concat([header, Buffer.from([0x02, 0x40, 0xff, 0xff])]));
  const awaited = timeOf(Buffer.concat([header, Buffer.from([0x02, 0x40, 0x08, 0x00])]));
  // Both take about 100 ms. If each head computed a frame's CRC, the second would take ten times as long, or fifty
  // times without a table.
  assert.ok(refused < 2_500 && awaited < 4 * refused, `${awaited} ms, and ${refused} ms for heads of too long frames`);
});
