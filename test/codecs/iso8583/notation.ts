import assert from 'node:assert/strict';

/**
 * Fields of ISO 8583:1987 in the standard's own notation: character set, then size or, after '../..', the most. Signed
 * amounts, x + n 8 and x + n 16, are their packed bytes.
 */
const notation = `2 n..19|3 n6|4 n12|5 n12|6 n12|7 n10|8 n8|9 n8|10 n8|11 n6|12 n6|13 n4|14 n4|15 n4|16 n4|17 n4|18 n4
19 n3|20 n3|21 n3|22 n3|23 n3|24 n3|25 n2|26 n2|27 n1|28 b5|29 b5|30 b5|31 b5|32 n..11|33 n..11|34 ans..28|35 z..37
36 ans..104|37 ans12|38 ans6|39 an2|40 an3|41 ans8|42 ans15|43 ans40|44 ans..25|45 ans..76|46 ans..999|47 ans..999
48 ans..999|49 an3|50 an3|51 an3|52 b8|53 n16|54 ans..120|55 b..999|56 ans..999|57 ans..999|58 ans..999|59 ans..999
60 ans..999|61 ans..999|62 ans..999|63 ans..999|64 b8|66 n1|67 n2|68 n3|69 n3|70 n3|71 n4|72 n4|73 n6|74 n10|75 n10
76 n10|77 n10|78 n10|79 n10|80 n10|81 n10|82 n12|83 n12|84 n12|85 n12|86 n16|87 n16|88 n16|89 n16|90 n42|91 an1|92 an2
93 an5|94 an7|95 ans42|96 b8|97 b9|98 ans25|99 n..11|100 n..11|101 ans..17|102 ans..28|103 ans..28|104 ans..100
105 ans..999|106 ans..999|107 ans..999|108 ans..999|109 ans..999|110 ans..999|111 ans..999
112 ans..999|113 ans..999|114 ans..999|115 ans..999|116 ans..999|117 ans..999|118 ans..999|119 ans..999
120 ans..999|121 ans..999|122 ans..999|123 ans..999|124 ans..999|125 ans..999|126 ans..999|127 ans..999|128 b8`;

export interface Format {
  readonly number: number;
  /** n, an, ans, z or b. */
  readonly set: string;
  readonly variable: boolean;
  readonly size: number;
}

/** Field 65 is missing: it announces a third bitmap. */
export const formats: readonly Format[] = notation.split(/[|\n]/).map((line) => {
  const match = /^(\d+) (n|an|ans|z|b)(\.\.)?(\d+)$/.exec(line.trim());
  assert.ok(match, line);
  const [, number = '', set = '', variable, size = ''] = match;
  return { number: Number(number), set, variable: variable !== undefined, size: Number(size) };
});

/** A field on the wire with as many of these bytes as it has, repeated as often as needed; all of them with a prefix. */
export function packedField({ set, variable, size }: Format, content: Uint8Array): string {
  const halved = set === 'n' || set === 'z';
  if (!variable) {
    const length = halved ? Math.ceil(size / 2) : size;
    return hexOf(Uint8Array.from({ length }, (_, at) => content[at % content.length] ?? 0));
  }
  const units = halved ? content.length * 2 : content.length;
  const prefix = String(units).padStart(prefixBytes(size) * 2, '0');
  return prefix + hexOf(content);
}

/** The most bytes that a field's prefix can announce, whatever the standard allows; 0 without a prefix. */
export function bytesMax({ set, variable, size }: Format): number {
  if (!variable) return 0;
  const units = prefixBytes(size) === 1 ? 98 : 998;
  return set === 'n' || set === 'z' ? units / 2 : units + 1;
}

function prefixBytes(size: number): 1 | 2 {
  return size < 100 ? 1 : 2;
}

/** A message from its type on. Each field is as it stands on the wire, in hex. */
export function packedMessage(mti: string, fields: Readonly<Record<number, string>>): string {
  const numbers = Object.keys(fields).map(Number);
  let bits = numbers.some((number) => number > 64) ? 1n << 127n : 0n;
  for (const number of numbers) bits |= 1n << BigInt(128 - number);
  const bitmap = bits.toString(16).padStart(32, '0').toUpperCase();
  const one = numbers.every((number) => number <= 64);
  return [mti, one ? bitmap.slice(0, 16) : bitmap, ...Object.values(fields)].join('');
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase();
