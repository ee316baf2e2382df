import { bodyBytesMax, MalformedFrame } from '../../host/iso8583/frame.ts';
import { MalformedMessage } from '../../host/iso8583/message.ts';
import type { DialectFile } from '../../host/iso8583/dialect/file.ts';
import { DialectFraming } from '../../host/iso8583/dialect/framing.ts';
import { type WirePart, wireParts } from '../../host/iso8583/dialect/packing.ts';
import { type Cutter, StreamCutter } from '../cut/cutter.ts';
import type { Decode, Field } from '../frame.ts';
import { field, named, secretField, unreadable } from './field.ts';
import { fieldNames, messageTypes } from './iso8583-names.ts';
import { responseCodes } from './response-codes.ts';

/** Card number, tracks and the customer's accounts: these fields are never shown. */
const clearCardData: ReadonlySet<number> = new Set([2, 14, 34, 35, 36, 45, 102, 103]);

/** Decodes the line of a card host with its own dialect file for display. */
export function dialectLine(file: DialectFile): { readonly cut: () => Cutter; readonly decode: Decode } {
  const framing = new DialectFraming(file);
  return { cut: () => cutFrames(framing), decode: (payload) => decodeFrame(payload, file, framing) };
}

function cutFrames(framing: DialectFraming): Cutter {
  return new StreamCutter((held) => {
    try {
      const length = framing.lengthOf(held);
      return length === undefined || length > bodyBytesMax + framing.lengthBytes ? undefined : { length };
    } catch (error) {
      if (!(error instanceof MalformedFrame)) throw error;
      return { length: held.length, kind: 'noise' };
    }
  });
}

function decodeFrame(payload: Buffer, file: DialectFile, framing: DialectFraming): ReturnType<Decode> {
  const { lengthBytes, leadBytes, trailerBytes } = framing;
  const length = field(payload, 'length', 0, lengthBytes, { meaning: `${payload.length - lengthBytes} bytes` });
  if (payload.length === lengthBytes) return { summary: 'keep-alive', fields: [length] };
  const at = lengthBytes + leadBytes;
  const end = payload.length - trailerBytes;
  if (at >= end) return unreadable(payload, 'a frame without a message');
  const { parts, problem } = partsAsFar(file, payload.subarray(at, end));
  const last = parts.at(-1);
  const reached = at + (last === undefined ? 0 : last.at + last.length);
  const rest = end - reached;
  return {
    summary: problem ?? summaryOf(parts),
    fields: [
      length,
      ...(leadBytes > 0 ? [field(payload, 'header', lengthBytes, leadBytes)] : []),
      ...parts.map((part) => partField(payload, part, at, file)),
      // Unreadable bytes may contain card data, so none of them is shown.
      ...(rest > 0 ? [secretField('rest', reached, rest, `${rest} bytes`, problem ?? 'not read')] : []),
    ],
    ...(problem !== undefined && { problem }),
  };
}

function partsAsFar(
  file: DialectFile,
  message: Buffer,
): { readonly parts: readonly WirePart[]; readonly problem?: string } {
  const parts: WirePart[] = [];
  try {
    for (const part of wireParts(file, message)) parts.push(part);
    return { parts };
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    return { parts, problem: error.message };
  }
}

function partField(payload: Buffer, part: WirePart, messageAt: number, file: DialectFile): Field {
  const { field: number, value, length } = part;
  const at = messageAt + part.at;
  if (number === 0) return field(payload, 'MTI', at, length, { value, meaning: named(messageTypes, value) });
  if (number === 1) return field(payload, 'bitmap', at, length, { value });
  const name = `${number} ${fieldNames[number] ?? ''}`.trim();
  if (clearCardData.has(number)) return secretField(name, at, length, '••••', 'card data in the clear');
  if (file.fields[String(number)]?.secret === true) return secretField(name, at, length, `${length} bytes`);
  const meaning = number === 39 ? named(responseCodes, value) : undefined;
  return field(payload, name, at, length, { value, meaning });
}

/** '0400 reversal · STAN 000123 · 00 approved'. */
function summaryOf(parts: readonly WirePart[]): string {
  const [mti = '', stan, code] = [0, 11, 39].map((number) => parts.find(({ field: each }) => each === number)?.value);
  return [
    `${mti} ${named(messageTypes, mti) ?? 'message'}`,
    stan === undefined ? '' : `STAN ${stan}`,
    code === undefined ? '' : `${code} ${named(responseCodes, code) ?? ''}`.trim(),
  ]
    .filter(Boolean)
    .join(' · ');
}
