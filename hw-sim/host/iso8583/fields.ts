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

/**
 * All fields of ISO 8583:1987 but 65, which announces a third bitmap: what a host may add to its answers, and its terminals
 * pass over. A signed amount (28 to 31, 97) is a letter and digits, here as bytes. Format: packing and length, after '..'
 * the most. Source: jpos/jPOS, packager/iso87binary.xml; lengths of 93 and 96: the standard.
 */
const others = `5 n12|6 n12|8 n8|9 n8|10 n8|15 n4|16 n4|17 n4|18 n4|19 n3|20 n3|21 n3|26 n2|27 n1|28 b5|29 b5|30 b5|31 b5
32 n..11|33 n..11|34 ans..28|36 ans..104|40 ans3|43 ans40|44 ans..25|45 ans..76|46 ans..999|47 ans..999|50 ans3|51 ans3
56 ans..999|57 ans..999|58 ans..999|59 ans..999|66 n1|67 n2|68 n3|69 n3|70 n3|71 n4|72 n4|73 n6|74 n10|75 n10|76 n10|77 n10
78 n10|79 n10|80 n10|81 n10|82 n12|83 n12|84 n12|85 n12|86 n16|87 n16|88 n16|89 n16|90 n42|91 ans1|92 ans2|93 ans5|94 ans7
95 ans42|96 b8|97 b9|98 ans25|99 n..11|100 n..11|101 ans..17|102 ans..28|103 ans..28|104 ans..100|128 b8`;

const reserved = Array.from({ length: 23 }, (_, at) => `${105 + at} ans..999`);

export const anyFieldSpecs: ReadonlyMap<number, FieldSpec> = new Map([
  ...[...others.split(/[|\n]/), ...reserved].map(specOf),
  ...fieldSpecs,
]);

function specOf(text: string): [number, FieldSpec] {
  const [, number, packing, variable, size] = /^(\d+) (n|ans|b)(\.\.)?(\d+)$/.exec(text) ?? [];
  if (packing === undefined) throw new Error(`not a format: ${text}`);
  const length = Number(size);
  const prefix = variable === undefined ? {} : { prefix: length < 100 ? ('LL' as const) : ('LLL' as const) };
  return [Number(number), { packing: packing as Packing, length, ...prefix }];
}
