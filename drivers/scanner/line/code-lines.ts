import { ReadlineParser } from '@serialport/parser-readline';

/** Characters of the longest code (fixtures/README.md, Scanner). */
const codeCharactersMax = 512;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** CR, LF and CR LF all end a line: the second of a pair ends an empty one, which says nothing. */
export function isLineEnd(byte: number | undefined): boolean {
  return byte === carriageReturn || byte === lineFeed;
}

/** The text of a line that is a code: printable ASCII, not too long. */
export function codeOf(line: string): string | undefined {
  return line.length <= codeCharactersMax && /^[\x20-\x7e]+$/.test(line) ? line : undefined;
}

/**
 * Cuts bytes into lines. The parser itself keeps whatever comes until a line ends: it is fed one character more than a code can
 * have, which tells that the line was too long, and nothing more until the next.
 */
export class CodeLines {
  readonly #parser = new ReadlineParser({ delimiter: '\n', encoding: 'latin1' });
  #characters = 0;
  #skipping: boolean;

  /** `midLine`: what comes first is the rest of a line that is not wanted. */
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
