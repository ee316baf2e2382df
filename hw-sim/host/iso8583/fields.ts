/**
 * The field table of the terminal dialect of ISO 8583:1987, as data. Packing: jpos/jPOS, packager/iso87binary.xml;
 * field 48 as fixtures/README.md describes it (the reader's own objects).
 *
 * n: digits, two a byte, a left zero where the count is odd. z: track 2 nibbles, 'D' for the separator, a right zero
 * where the count is odd. ans: one printable ASCII character a byte. b: binary, here as upper-case hexadecimal text.
 */
export type Packing = 'n' | 'z' | 'ans' | 'b';

/**
 * `length` is in units of the packing: digits, nibbles, characters, bytes. `prefix` is none for a fixed length; LL (1 byte)
 * and LLL (2 bytes) are BCD, and `length` is then the maximum. Digits after a prefix are left-aligned, like the
 * nibbles of a track.
 */
export interface FieldSpec {
  readonly packing: Packing;
  readonly length: number;
  readonly prefix?: 'LL' | 'LLL';
}

export const fieldSpecs: ReadonlyMap<number, FieldSpec> = new Map<number, FieldSpec>([
  [2, { packing: 'n', length: 19, prefix: 'LL' }],
  [3, { packing: 'n', length: 6 }],
  [4, { packing: 'n', length: 12 }],
  [7, { packing: 'n', length: 10 }],
  [11, { packing: 'n', length: 6 }],
  [12, { packing: 'n', length: 6 }],
  [13, { packing: 'n', length: 4 }],
  [14, { packing: 'n', length: 4 }],
  [22, { packing: 'n', length: 3 }],
  [23, { packing: 'n', length: 3 }],
  [24, { packing: 'n', length: 3 }],
  [25, { packing: 'n', length: 2 }],
  [35, { packing: 'z', length: 37, prefix: 'LL' }],
  [37, { packing: 'ans', length: 12 }],
  [38, { packing: 'ans', length: 6 }],
  [39, { packing: 'ans', length: 2 }],
  [41, { packing: 'ans', length: 8 }],
  [42, { packing: 'ans', length: 15 }],
  [48, { packing: 'b', length: 999, prefix: 'LLL' }],
  [49, { packing: 'ans', length: 3 }],
  [52, { packing: 'b', length: 8 }],
  [53, { packing: 'n', length: 16 }],
  [54, { packing: 'ans', length: 120, prefix: 'LLL' }],
  [55, { packing: 'b', length: 255, prefix: 'LLL' }],
  [60, { packing: 'ans', length: 999, prefix: 'LLL' }],
  [61, { packing: 'ans', length: 999, prefix: 'LLL' }],
  [62, { packing: 'ans', length: 999, prefix: 'LLL' }],
  [63, { packing: 'ans', length: 999, prefix: 'LLL' }],
  [64, { packing: 'b', length: 8 }],
]);
