import type { Cutter } from './cut/cutter.ts';
import { cutMmsReports, cutNeo2Reports } from './cut/reports.ts';
import { cutCommands, cutHttp, cutIso8583, cutLines, cutNeo2, cutWrites } from './cut/streams.ts';
import { decodeAgentLine, decodeScannerLine } from './decode/device-lines.ts';
import { decodeEscPos } from './decode/escpos.ts';
import { decodeHttp } from './decode/http.ts';
import { decodeIso8583 } from './decode/iso8583.ts';
import { decodeMms } from './decode/mms.ts';
import { decodeNeo2 } from './decode/neo2.ts';
import type { Decode, Direction } from './frame.ts';

interface Protocol {
  readonly cut: (direction: Direction) => Cutter;
  readonly decode: Decode;
  /** Each connection is opened and closed; otherwise the line is always there. */
  readonly socket: boolean;
}

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** The protocols of the simulator's lines: how bytes are cut into frames, and how a frame is decoded. */
export const protocols = {
  NEO2: { cut: cutNeo2, decode: decodeNeo2, socket: false },
  'NEO2 over HID': { cut: cutNeo2Reports, decode: decodeNeo2, socket: false },
  MMS: { cut: cutMmsReports, decode: decodeMms, socket: false },
  'ESC/POS': {
    cut: (direction) => (direction === 'fromTerminal' ? cutCommands() : cutWrites()),
    decode: decodeEscPos,
    socket: false,
  },
  scanner: {
    cut: (direction) => cutLines(direction === 'fromTerminal' ? carriageReturn : lineFeed),
    decode: decodeScannerLine,
    socket: false,
  },
  Octopus: { cut: () => cutLines(lineFeed), decode: decodeAgentLine, socket: true },
  'ISO 8583': { cut: cutIso8583, decode: decodeIso8583, socket: true },
  HTTP: { cut: cutHttp, decode: decodeHttp, socket: true },
} as const satisfies Readonly<Record<string, Protocol>>;

export type ProtocolName = keyof typeof protocols;
