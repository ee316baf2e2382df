/** Text, one command with its name in the ESC/POS manuals, or unknown bytes. */
export interface Command {
  readonly name: CommandName | 'text' | 'unknown';
  readonly bytes: Buffer;
  /** The bytes after the name; all bytes of text and unknown bytes. */
  readonly parameters: Buffer;
}

/** The number of parameter bytes, from the bytes so far; undefined if more bytes are needed to know. */
type ParameterLength = (rest: Buffer) => number | undefined;

const none: ParameterLength = () => 0;
const one: ParameterLength = () => 1;
const three: ParameterLength = () => 3;

/** GS V m: m 41 and 42 have a feed length, the others have no parameter. */
const cutLength: ParameterLength = (rest) => {
  const mode = rest[0];
  if (mode === undefined) return undefined;
  return mode === 0x41 || mode === 0x42 ? 2 : 1;
};

/** GS ( X pL pH data. */
const functionLength: ParameterLength = (rest) => (rest.length < 3 ? undefined : 3 + rest.readUInt16LE(1));

/** GS v 0 m xL xH yL yH data: x is in bytes, y in dots. */
const rasterLength: ParameterLength = (rest) =>
  rest.length < 5 ? undefined : 5 + rest.readUInt16LE(1) * rest.readUInt16LE(3);

const table = {
  HT: [[0x09], none],
  LF: [[0x0a], none],
  CR: [[0x0d], none],
  'DLE EOT': [[0x10, 0x04], one],
  'DLE DC4': [[0x10, 0x14], three],
  'ESC @': [[0x1b, 0x40], none],
  'ESC !': [[0x1b, 0x21], one],
  'ESC -': [[0x1b, 0x2d], one],
  'ESC 2': [[0x1b, 0x32], none],
  'ESC 3': [[0x1b, 0x33], one],
  'ESC E': [[0x1b, 0x45], one],
  'ESC G': [[0x1b, 0x47], one],
  'ESC J': [[0x1b, 0x4a], one],
  'ESC M': [[0x1b, 0x4d], one],
  'ESC R': [[0x1b, 0x52], one],
  'ESC a': [[0x1b, 0x61], one],
  'ESC d': [[0x1b, 0x64], one],
  'ESC p': [[0x1b, 0x70], three],
  'ESC t': [[0x1b, 0x74], one],
  'FS &': [[0x1c, 0x26], none],
  'FS .': [[0x1c, 0x2e], none],
  'FS C': [[0x1c, 0x43], one],
  'GS !': [[0x1d, 0x21], one],
  'GS (': [[0x1d, 0x28], functionLength],
  'GS B': [[0x1d, 0x42], one],
  'GS V': [[0x1d, 0x56], cutLength],
  'GS a': [[0x1d, 0x61], one],
  'GS v 0': [[0x1d, 0x76, 0x30], rasterLength],
} as const satisfies Record<string, readonly [prefix: readonly number[], length: ParameterLength]>;

export type CommandName = keyof typeof table;
const names = Object.keys(table) as readonly CommandName[];

/** Limit of a command: no receipt has a longer one. A longer one is garbage, and must not swallow the stream. */
const parametersMax = 1 << 20;

/** Cuts a stream of bytes into commands, however the bytes were split. */
export class CommandStream {
  #pending = Buffer.alloc(0);

  /** Bytes of a command that is not complete yet. */
  get pending(): number {
    return this.#pending.length;
  }

  push(chunk: Uint8Array): Command[] {
    const bytes = this.#pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#pending, chunk]);
    const commands: Command[] = [];
    let at = 0;
    while (at < bytes.length) {
      const command = first(bytes.subarray(at));
      if (!command) break;
      commands.push(command);
      at += command.bytes.length;
    }
    this.#pending = Buffer.from(bytes.subarray(at));
    return commands;
  }

  /** Forgets an incomplete command. */
  clear(): void {
    this.#pending = Buffer.alloc(0);
  }
}

/** The command at the start of `bytes` (not empty); undefined if it is incomplete. */
function first(bytes: Buffer): Command | undefined {
  if (isText(bytes[0])) {
    const end = bytes.findIndex((byte) => !isText(byte));
    return command('text', bytes, 0, end === -1 ? bytes.length : end);
  }
  const name = names.find((candidate) => table[candidate][0].every((byte, at) => bytes[at] === byte));
  if (name !== undefined) {
    const [prefix, parameterLength] = table[name];
    const length = parameterLength(bytes.subarray(prefix.length));
    if (length === undefined) return undefined;
    if (length > parametersMax) return command('unknown', bytes, 0, prefix.length);
    if (bytes.length < prefix.length + length) return undefined;
    return command(name, bytes, prefix.length, prefix.length + length);
  }
  const incomplete = names.some((candidate) => bytes.every((byte, at) => table[candidate][0][at] === byte));
  if (incomplete) return undefined;
  return command('unknown', bytes, 0, Math.min(bytes.length, isIntroducer(bytes[0]) ? 2 : 1));
}

function command(name: Command['name'], bytes: Buffer, parametersAt: number, end: number): Command {
  return { name, bytes: bytes.subarray(0, end), parameters: bytes.subarray(parametersAt, end) };
}

function isText(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x20;
}

/** DLE, ESC, FS and GS open a command of two or more bytes. */
function isIntroducer(byte: number | undefined): boolean {
  return byte === 0x10 || byte === 0x1b || byte === 0x1c || byte === 0x1d;
}
