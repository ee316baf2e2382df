import type { CharacterSet, Encoding, MessageReader, MessageWriter } from './encoding.ts';
import { characterSets } from './encoding.ts';
import { Iso8583Error } from './iso8583-error.ts';

/**
 * Code page 1047, byte → ISO 8859-1: the EBCDIC of z/OS, whose brackets and caret differ from those of code page 37
 * (GNU libc, IBM1047 and IBM037).
 */
const page1047 = Buffer.from(
  [
    '000102039c09867f978d8e0b0c0d0e0f101112139d8508871819928f1c1d1e1f',
    '80818283840a171b88898a8b8c050607909116939495960498999a9b14159e1a',
    '20a0e2e4e0e1e3e5e7f1a22e3c282b7c26e9eaebe8edeeefecdf21242a293b5e',
    '2d2fc2c4c0c1c3c5c7d1a62c255f3e3ff8c9cacbc8cdcecfcc603a2340273d22',
    'd8616263646566676869abbbf0fdfeb1b06a6b6c6d6e6f707172aabae6b8c6a4',
    'b57e737475767778797aa1bfd05bdeaeaca3a5b7a9a7b6bcbdbedda8af5db4d7',
    '7b414243444546474849adf4f6f2f3f57d4a4b4c4d4e4f505152b9fbfcf9faff',
    '5cf7535455565758595ab2d4d6d2d3d530313233343536373839b3dbdcd9da9f',
  ].join(''),
  'hex',
);

/** The bytes whose characters differ in code page 37. */
const page37 = page1047.slice();
const differences37 = [0x5f, 0xac, 0xad, 0xdd, 0xb0, 0x5e, 0xba, 0x5b, 0xbb, 0x5d, 0xbd, 0xa8];
for (let at = 0; at < differences37.length; at += 2) page37[differences37[at] ?? 0] = differences37[at + 1] ?? 0;

/** EBCDIC by its code page. */
export type CodePage = 'ebcdic' | 'ebcdic37';

const pages: Readonly<Record<CodePage, Uint8Array>> = { ebcdic: page1047, ebcdic37: page37 };

/**
 * EBCDIC text, one byte for each character, limited to the field's character set; without one, any character of ISO
 * 8859-1.
 */
class EbcdicText implements Encoding<string> {
  /** Byte → character code; above 255 if the character is not in the set. */
  readonly #codes: Uint16Array;
  /** Character code → byte; above 255 if there is none. */
  readonly #bytes = new Uint16Array(256).fill(0x100);

  constructor(page: CodePage, set: CharacterSet | undefined) {
    this.#codes = Uint16Array.from(pages[page], (code) => {
      const isOfSet = set === undefined || characterSets[set].test(String.fromCharCode(code));
      return isOfSet ? code : 0x100;
    });
    for (const [byte, code] of this.#codes.entries()) if (code < 0x100) this.#bytes[code] = byte;
  }

  byteLength(units: number): number {
    return units;
  }

  unitsIn(bytes: number): number {
    return bytes;
  }

  write(value: string, writer: MessageWriter, field: number): void {
    const { bytes } = writer;
    const start = writer.offset;
    writer.offset += value.length;
    for (let at = 0; at < value.length; at++) {
      const byte = this.#bytes[value.charCodeAt(at)] ?? 0x100;
      if (byte > 0xff) throw new Iso8583Error('bad-character', { field, offset: 0 });
      bytes[start + at] = byte;
    }
  }

  read(reader: MessageReader, units: number, field: number): string {
    const { bytes, offset } = reader;
    let text = '';
    for (let at = offset; at < offset + units; at++) {
      const code = this.#codes[bytes[at] ?? 0] ?? 0x100;
      if (code > 0xff) throw new Iso8583Error('bad-character', { field, offset });
      text += String.fromCharCode(code);
    }
    reader.offset = offset + units;
    return text;
  }
}

const ebcdicTexts = new Map<string, Encoding<string>>();

export function ebcdic(page: CodePage, set?: CharacterSet): Encoding<string> {
  const key = `${page} ${set ?? ''}`;
  const made = ebcdicTexts.get(key) ?? new EbcdicText(page, set);
  ebcdicTexts.set(key, made);
  return made;
}

const absent = 0xff;

/** Each byte as two hexadecimal characters in ASCII or EBCDIC. Writes capitals, reads either case. */
class HexText implements Encoding<Uint8Array> {
  /** Nibble → byte on the wire. */
  readonly #written: Uint8Array;
  /** Byte on the wire → nibble. */
  readonly #read = new Uint8Array(256).fill(absent);

  constructor(page: CodePage | 'ascii') {
    const byteOf = (character: string): number => {
      const code = character.charCodeAt(0);
      return page === 'ascii' ? code : pages[page].indexOf(code);
    };
    this.#written = Uint8Array.from('0123456789ABCDEF', byteOf);
    for (const [nibble, byte] of this.#written.entries()) this.#read[byte] = nibble;
    for (const letter of 'abcdef') this.#read[byteOf(letter)] = Number.parseInt(letter, 16);
  }

  byteLength(units: number): number {
    return 2 * units;
  }

  unitsIn(bytes: number): number | undefined {
    return bytes % 2 === 0 ? bytes / 2 : undefined;
  }

  write(value: Uint8Array, writer: MessageWriter): void {
    const { bytes } = writer;
    let to = writer.offset;
    writer.offset += 2 * value.length;
    for (const byte of value) {
      bytes[to++] = this.#written[byte >> 4] ?? 0;
      bytes[to++] = this.#written[byte & 0xf] ?? 0;
    }
  }

  read(reader: MessageReader, units: number, field: number): Uint8Array {
    const { bytes, offset } = reader;
    const value = new Uint8Array(units);
    for (let at = 0; at < units; at++) {
      const high = this.#read[bytes[offset + 2 * at] ?? 0] ?? absent;
      const low = this.#read[bytes[offset + 2 * at + 1] ?? 0] ?? absent;
      if (high === absent || low === absent) throw new Iso8583Error('bad-character', { field, offset });
      value[at] = (high << 4) | low;
    }
    reader.offset = offset + 2 * units;
    return value;
  }
}

export function hexText(page: CodePage | 'ascii'): Encoding<Uint8Array> {
  return new HexText(page);
}
