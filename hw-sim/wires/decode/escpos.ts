import { CommandStream, type Command } from '../../printer/command-stream.ts';
import type { Decode, Decoded, Field } from '../frame.ts';
import { field, hexOf, unreadable } from './field.ts';

const titles: Readonly<Record<Command['name'], string>> = {
  text: 'text',
  unknown: 'unknown',
  HT: 'tab',
  LF: 'line feed',
  CR: 'carriage return',
  'DLE EOT': 'ask for status',
  'DLE DC4': 'real-time pulse',
  'ESC @': 'initialise',
  'ESC !': 'print mode',
  'ESC -': 'underline',
  'ESC 2': 'default line spacing',
  'ESC 3': 'line spacing',
  'ESC E': 'bold',
  'ESC G': 'double strike',
  'ESC J': 'feed dots',
  'ESC M': 'font',
  'ESC R': 'character set',
  'ESC a': 'alignment',
  'ESC d': 'feed lines',
  'ESC p': 'pulse to the drawer',
  'ESC t': 'code page',
  'FS &': 'kanji mode on',
  'FS .': 'kanji mode off',
  'FS C': 'kanji code',
  'GS !': 'character size',
  'GS (': 'function (QR code)',
  'GS B': 'white on black',
  'GS V': 'cut',
  'GS a': 'report status changes',
  'GS v 0': 'raster image',
};

/** The status that the last parameter byte of DLE EOT requests. */
const asked: readonly string[] = ['', 'printer', 'cause of being off-line', 'error', 'paper'];
const alignments: readonly string[] = ['left', 'centre', 'right'];

/** Bits of automatic status, by byte (TM-T88III specification p.134). */
const automatic: readonly (readonly [byte: number, mask: number, name: string])[] = [
  [0, 0x04, 'drawer pin high'],
  [0, 0x08, 'off-line'],
  [0, 0x20, 'cover open'],
  [1, 0x08, 'cutter error'],
  [1, 0x20, 'unrecoverable error'],
  [2, 0x03, 'paper near its end'],
  [2, 0x0c, 'paper out'],
];

const shownBytes = 24;

/** Commands to the printer, and its status. */
export const decodeEscPos: Decode = (payload, direction) =>
  direction === 'fromTerminal' ? commandsOf(payload) : statusOf(payload);

function commandsOf(payload: Buffer): Decoded {
  const commands = new CommandStream().push(payload);
  let at = 0;
  const fields: Field[] = [];
  for (const command of commands) {
    fields.push(commandField(payload, command, at));
    at += command.bytes.length;
  }
  if (at < payload.length) return unreadable(payload, 'a command that did not go on');
  return { summary: summaryOf(commands), fields };
}

function commandField(payload: Buffer, { name, bytes, parameters }: Command, at: number): Field {
  if (name === 'text') return field(payload, 'text', at, bytes.length, { value: textOf(bytes) });
  const value = hexOf(parameters.subarray(0, shownBytes)) + (parameters.length > shownBytes ? ' …' : '');
  const title = name === 'unknown' ? 'unknown bytes' : `${name} ${titles[name]}`;
  return field(payload, title, at, bytes.length, {
    value: name === 'unknown' ? hexOf(bytes) : value,
    meaning: meaningOf(name, parameters),
  });
}

function meaningOf(name: Command['name'], parameters: Buffer): string | undefined {
  const [first = 0] = parameters;
  switch (name) {
    case 'DLE EOT':
      return asked[first];
    case 'ESC a':
      return alignments[first % 0x30];
    case 'ESC E':
    case 'GS B':
      return (first & 1) === 1 ? 'on' : 'off';
    case 'ESC p':
      return `pin ${(first & 1) === 0 ? 2 : 5}, ${2 * (parameters[1] ?? 0)} ms`;
    case 'GS !':
      return `${(first >> 4) + 1} × ${(first & 7) + 1}`;
    case 'GS v 0':
      return parameters.length < 5
        ? undefined
        : `${8 * parameters.readUInt16LE(1)} × ${parameters.readUInt16LE(3)} dots`;
    default:
      return undefined;
  }
}

function textOf(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll(/[^\x20-\x7e]/g, '.');
}

function summaryOf(commands: readonly Command[]): string {
  const [only] = commands;
  if (commands.length === 1 && only !== undefined && only.name !== 'text') {
    const more = meaningOf(only.name, only.parameters);
    return [`${only.name} ${titles[only.name]}`, more].filter(Boolean).join(' · ');
  }
  const text = commands
    .filter(({ name }) => name === 'text')
    .map(({ bytes }) => textOf(bytes).trim())
    .filter(Boolean);
  const has = (name: Command['name']) => (commands.some((each) => each.name === name) ? titles[name] : '');
  return [
    text.slice(0, 2).join(' / ').slice(0, 60),
    `${commands.length} commands`,
    has('GS v 0'),
    has('GS ('),
    has('ESC p'),
    has('GS V'),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** One byte answers DLE EOT; four bytes report a change without a request (GS a). */
function statusOf(payload: Buffer): Decoded {
  const [first = 0] = payload;
  if (payload.length === 1 && (first & 0x93) === 0x12) {
    const meaning = realTimeText(first);
    return { summary: `status · ${meaning}`, fields: [field(payload, 'status', 0, 1, { meaning })] };
  }
  if (payload.length === 4 && (first & 0x93) === 0x10) {
    const set = automatic.filter(([byte, mask]) => ((payload[byte] ?? 0) & mask) !== 0).map(([, , name]) => name);
    const meaning = set.length === 0 ? 'all well' : set.join(', ');
    return {
      summary: `status by itself · ${meaning}`,
      fields: [field(payload, 'automatic status', 0, 4, { meaning })],
    };
  }
  return {
    summary: 'bytes that are no status',
    fields: [field(payload, 'bytes', 0, payload.length)],
    problem: 'bytes that are no status',
  };
}

/** A byte does not show which of the four requests it answers; each bit is shown with its meaning in one of them. */
function realTimeText(byte: number): string {
  const bits = byte & ~0x12;
  if (bits === 0) return 'all well';
  const readings = [
    [0x60, 'paper out'],
    [0x0c, 'paper near its end, or off-line with an error'],
    [0x08, 'off-line, or cutter error'],
    [0x04, 'cover open, or drawer pin high'],
    [0x20, 'paper out'],
    [0x40, 'error'],
  ] as const;
  return readings.find(([mask]) => (bits & mask) === mask)?.[1] ?? `bits ${hexOf(Buffer.of(bits))}`;
}
