import { Iso8583Error } from './iso8583-error.ts';
import type { MessageReader } from './reader.ts';
import type { MessageWriter } from './writer.ts';

/** How a field tells its number of units (digits, characters or bytes): always the same, or digits in BCD before them. */
export class Length {
  readonly #prefixBytes: number;
  readonly #unitsMax: number;

  constructor(prefixBytes: 0 | 1 | 2, unitsMax: number) {
    this.#prefixBytes = prefixBytes;
    this.#unitsMax = unitsMax;
  }

  /** Writes the prefix of a value. Throws Iso8583Error 'wrong-length' or 'too-long'. */
  write(units: number, writer: MessageWriter, field: number): void {
    if (this.#prefixBytes === 0) {
      if (units !== this.#unitsMax) throw new Iso8583Error('wrong-length', { field, offset: 0 });
      return;
    }
    if (units > this.#unitsMax) throw new Iso8583Error('too-long', { field, offset: 0 });
    writer.demandRoom(this.#prefixBytes, field);
    const { bytes } = writer;
    const rest = units % 100;
    if (this.#prefixBytes === 2) bytes[writer.offset++] = (units - rest) / 100;
    const ones = rest % 10;
    bytes[writer.offset++] = (((rest - ones) / 10) << 4) | ones;
  }

  /** Reads the number of units that follow. Throws Iso8583Error. */
  read(reader: MessageReader, field: number): number {
    const { offset } = reader;
    const units = this.readAny(reader, field);
    if (units > this.#unitsMax) throw new Iso8583Error('too-long', { field, offset });
    return units;
  }

  /** Reads the number of units that follow, up to what the prefix can say. Throws Iso8583Error. */
  readAny(reader: MessageReader, field: number): number {
    if (this.#prefixBytes === 0) return this.#unitsMax;
    const { bytes, offset } = reader;
    const end = offset + this.#prefixBytes;
    if (end > bytes.length) throw new Iso8583Error('truncated', { field, offset });
    const hundreds = this.#prefixBytes === 2 ? (bytes[offset] ?? 0) : 0;
    const last = bytes[end - 1] ?? 0;
    if (hundreds >> 4 !== 0) throw new Iso8583Error('bad-padding', { field, offset });
    if (hundreds > 9 || last >> 4 > 9 || (last & 0xf) > 9) throw new Iso8583Error('bad-character', { field, offset });
    reader.offset = end;
    return hundreds * 100 + (last >> 4) * 10 + (last & 0xf);
  }
}

/** No prefix: always `size` units. */
export function fixedLength(size: number): Length {
  return new Length(0, size);
}

/** Two digits in one BCD byte. */
export function ll(max: number): Length {
  return new Length(1, max);
}

/** Three digits in two BCD bytes, filled with a zero on the left: 115 → 01 15. */
export function lll(max: number): Length {
  return new Length(2, max);
}
