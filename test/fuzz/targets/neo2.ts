import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { cardObjects, readerError } from '../../../drivers/card-reader/neo2/presented-card.ts';
import { type Decoded, encodeFrame, FrameDecoder, collectOutcome } from '../../../drivers/card-reader/neo2/frame.ts';
import { hidFrames, splitFrame } from '../../../drivers/card-reader/neo2/hid-frames.ts';
import { type ReportTransport, reportBytes } from '../../../drivers/transport/reports.ts';
import { TlvError } from '../../../src/codecs/emv/tlv.ts';
import type { CollectRequest } from '../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import { binaryTokens, fixture, hex, type Json, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { type Documented, type Target, valueOrDocumented } from '../target.ts';

const frames: Uint8Array[] = fixture('frames/neo2').frames.map((each: Json) => hex(each.hex));
const headBytes = 14;
const crcBytes = 2;
/** The data of the frames, which the frame's CRC would keep from being read. */
const datas = frames.map((frame) => frame.subarray(headBytes, -crcBytes));
const tokens = [
  ...binaryTokens,
  text('ViVOtech2\0'),
  text('E\0U\0'),
  hex('5669564F7465636832000200FFFF'),
  Buffer.alloc(2_100, 0x41),
];

const answers = fc
  .tuple(fc.nat(255), fc.nat(255), hostile({ seeds: datas, tokens }))
  .map(([command, status, data]) => encodeFrame(command, status, data.subarray(0, 2048), 'msb-first'));
const stream = fc
  .array(fc.oneof(answers, hostile({ seeds: frames, tokens })), { minLength: 1, maxLength: 3 })
  .map((parts) => Buffer.concat(parts).subarray(0, 8_192));

export const neo2Frames: Target = {
  name: 'neo2-frames',
  share: 5,
  inputs: stream,
  check(input) {
    for (const order of ['lsb-first', 'msb-first'] as const) {
      const whole = decoded(order, [input]);
      for (const found of whole) {
        if (found.kind !== 'frame') continue;
        const frame = encodeFrame(found.command, found.status, found.data, order);
        assert.ok(Buffer.from(input).includes(Buffer.from(frame)), 'a frame that did not come');
      }
      assert.deepEqual(decoded(order, pieces(input, 61)), whole, 'split otherwise, read otherwise');
    }
  },
};

function decoded(order: 'lsb-first' | 'msb-first', chunks: readonly Uint8Array[]): Decoded[] {
  const decoder = new FrameDecoder(order);
  const found = chunks.flatMap((chunk) => decoder.push(chunk));
  found.push(...decoder.giveUp());
  assert.equal(decoder.unfinished, false);
  return found;
}

export function pieces(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size));
}

/** 64-byte reports, as a HID device would send the bytes of an input. */
export function reportsOf(input: Uint8Array): Uint8Array[] {
  return pieces(input, reportBytes).map((piece) => {
    const report = new Uint8Array(reportBytes);
    report.set(piece);
    return report;
  });
}

const reports = frames.map((frame) => Buffer.concat(splitFrame(frame)));

export const neo2Reports: Target = {
  name: 'neo2-reports',
  share: 4,
  inputs: hostile({
    seeds: reports,
    tokens: [...tokens, ...['01', '02', '03', '04'].map(hex), ...reports.slice(0, 6)],
  }),
  async check(input) {
    let reported: ((report: Uint8Array) => void) | undefined;
    const port: ReportTransport = {
      path: 'fuzz',
      state: 'ready',
      onState: () => () => undefined,
      onReport(listener) {
        reported = listener;
        return () => (reported = undefined);
      },
      write: async () => undefined,
      close: async () => undefined,
    };
    const line = hidFrames(port);
    const decoder = new FrameDecoder('msb-first');
    let bytes = 0;
    line.onData((chunk) => {
      bytes += chunk.length;
      decoder.push(chunk);
    });
    const sent = reportsOf(input);
    for (const report of sent) reported?.(report);
    assert.ok(bytes <= sent.length * (reportBytes - 1), 'more came out than went in');
    await line.close();
    assert.equal(reported, undefined);
  },
};

const request: CollectRequest = {
  amount: { minor: 3000n, currency: 'HKD' },
  type: 'purchase',
  timeoutMs: 60_000,
  interfaces: ['contactless', 'chip', 'magstripe'],
};

export const deviceProtocol: Documented = {
  type: DeviceError,
  words: /^(?:card answer: [\w ,'-]+(?: at byte \d+)?|reader answered 02-40 with status [\w (),'-]+)$/,
};
const tlvError: Documented = { type: TlvError, words: /^BER-TLV [a-z-]+ at byte \d+$/ };

export const neo2Card: Target = {
  name: 'neo2-card',
  share: 8,
  inputs: hostile({ seeds: datas.filter((data) => data.length > 0), tokens }),
  check(input) {
    valueOrDocumented(tlvError, () => cardObjects(input));
    readerError(input);
    for (const status of [0x00, 0x23, 0x0a, input[0] ?? 0]) {
      const outcome = valueOrDocumented(deviceProtocol, () => collectOutcome(status, input, request));
      if (outcome?.kind === 'card') assertMasked(outcome.card.maskedPan);
    }
  },
};

export function assertMasked(number: string): void {
  assert.match(number, /^\d{0,6}\*{2,}\d{4}$/);
}
