import { ReadlineParser } from '@serialport/parser-readline';

/** Characters of the longest code (fixtures/README.md, Scanner). */
const codeCharactersMax = 512;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** CR, LF and CR LF all end a line: the second of a pair ends an empty line, which is ignored. */
export function isLineEnd(byte: number | undefined): boolean {
  return byte === carriageReturn || byte === lineFeed;
}

/** The code in a line: printable ASCII, at most 512 characters. Otherwise undefined. */
export function codeOf(line: string): string | undefined {
  return line.length <= codeCharactersMax && /^[\x20-\x7e]+$/.test(line) ? line : undefined;
}

/**
 * Cuts bytes into lines. The parser buffers without limit until a line ends. So it gets at most one character more
 * than the longest code, which shows that the line was too long, and then nothing until the next line.
 */
export class CodeLines {
  readonly #parser = new ReadlineParser({ delimiter: '\n', encoding: 'latin1' });
  #characters = 0;
  #skipping: boolean;

  /** `midLine`: the first bytes are the rest of a line that began earlier, and are dropped. */
  constructor(midLine: boolean, onLine: (line: string) => void) {
    this.#skipping = midLine;
    this.#parser.on('data', onLine);
  }

  push(chunk: Uint8Array): void {
    const kept = Buffer.alloc(chunk.length);
    let length = 0;
    for (const byte of chunk) {
      if (isLineEnd(byte)) {
        if (!this.#skipping) kept[length++] = lineFeed;
        this.#skipping = false;
        this.#characters = 0;
      } else if (!this.#skipping && this.#characters <= codeCharactersMax) {
        kept[length++] = byte;
        this.#characters++;
      }
    }
    if (length > 0) this.#parser.write(kept.subarray(0, length));
  }
}
