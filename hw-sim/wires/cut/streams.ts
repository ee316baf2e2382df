import { bodyBytesMax } from '../../host/iso8583/frame.ts';
import { CommandStream } from '../../printer/command-stream.ts';
import { crc16, frameLength, headerStart } from '../../reader/neo2/frame.ts';
import { type Cut, type Cutter, type Next, StreamCutter } from './cutter.ts';

const neo2CrcBytes = 2;
const linesBytesMax = 8192;
const headBytesMax = 64 * 1024;

/** NEO2 frames. If the CRC is wrong in either byte order, the bytes up to the next header are noise. */
export function cutNeo2(): Cutter {
  return new StreamCutter((held) => {
    const start = headerStart(held, 0);
    if (start > 0) return { length: start, kind: 'noise' };
    const length = frameLength(held);
    if (length === undefined || length > held.length) return undefined;
    const crcAt = length - neo2CrcBytes;
    const crc = crc16(held.subarray(0, crcAt));
    if (crc === held.readUInt16BE(crcAt) || crc === held.readUInt16LE(crcAt)) return { length };
    return { length: Math.min(length, headerStart(held, 1)), kind: 'noise' };
  });
}

/** Frames of a card host: two bytes of length, then that many. Length zero is a keep-alive. */
export function cutIso8583(): Cutter {
  return new StreamCutter((held) => {
    if (held.length < 2) return undefined;
    const length = held.readUInt16BE(0);
    return length > bodyBytesMax ? { length: held.length, kind: 'noise' } : { length: 2 + length };
  });
}

/** Lines, each with its end. */
export function cutLines(end: number): Cutter {
  return new StreamCutter((held) => {
    const at = held.indexOf(end);
    if (at >= 0) return { length: at + 1 };
    return held.length > linesBytesMax ? { length: held.length, kind: 'noise' } : undefined;
  });
}

/** HTTP/1.1 messages (RFC 9112). */
export function cutHttp(): Cutter {
  return new StreamCutter(nextHttp);
}

const nextHttp: Next = (held) => {
  const headEnd = held.indexOf('\r\n\r\n');
  if (!/^[\x20-\x7e\r]*$/.test(held.toString('latin1', 0, 16).split('\n')[0] ?? '')) {
    return { length: held.length, kind: 'noise' };
  }
  if (headEnd < 0) return held.length > headBytesMax ? { length: held.length, kind: 'noise' } : undefined;
  const head = held.toString('latin1', 0, headEnd + 2);
  const bodyAt = headEnd + 4;
  if (/\r\ntransfer-encoding: *chunked\r\n/i.test(head)) return chunksEnd(held, bodyAt);
  const [, body = '0'] = /\r\ncontent-length: *(\d{1,9})\r\n/i.exec(head) ?? [];
  return { length: bodyAt + Number(body) };
};

/** RFC 9112, 7.1: each chunk with its size before it, the last one empty; without trailers. */
function chunksEnd(held: Buffer, from: number): ReturnType<Next> {
  let at = from;
  for (;;) {
    const lineEnd = held.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = held.toString('latin1', at, lineEnd);
    if (!/^[\dA-Fa-f]{1,7}$/.test(size)) return { length: held.length, kind: 'noise' };
    at = lineEnd + 4 + Number.parseInt(size, 16);
    if (/^0+$/.test(size)) return { length: at };
  }
}

/** Each write is one frame. */
export function cutWrites(): Cutter {
  return new StreamCutter((held) => ({ length: held.length }));
}

/** ESC/POS commands: those that became whole with one chunk are one frame, so that a command is never cut in two. */
export function cutCommands(): Cutter {
  const stream = new CommandStream();
  let held: Buffer = Buffer.alloc(0);
  return {
    push(chunk): Cut[] {
      held = Buffer.concat([held, chunk]);
      const length = stream.push(chunk).reduce((sum, { bytes }) => sum + bytes.length, 0);
      if (length === 0) return [];
      const bytes = held.subarray(0, length);
      held = held.subarray(length);
      return [{ kind: 'frame', bytes }];
    },
    abandon(): Cut[] {
      stream.clear();
      const bytes = held;
      held = Buffer.alloc(0);
      return bytes.length === 0 ? [] : [{ kind: 'noise', bytes }];
    },
  };
}
