/**
 * Characters that look like a letter of the terminal's own names, in either case, as hexadecimal code points: those
 * that Unicode lists as confusable with it (UTS #39, confusables.txt 15.0), small capitals, and letters in black
 * squares and circles. A small form of the skeleton: only these letters matter, and compatibility forms (full width,
 * mathematical letters), accents and case are folded before. l and 1 count as i, 0 as o.
 */
const lookAlikes = {
  a: `
    1e9a 251 3b1 430 15c5 1d00 2376 237a a4ee ab7a 102a0 16f40 1f150 1f170 1f1e6`,
  d: `
    f0 111 18c 256 257 501 146f 15de 15ea 1d05 20ab a4d2 a4d3 ab70 abb7 1f153 1f173 1f1e9`,
  e: `
    247 3b5 435 4bd 4bf 1d07 212e 22ff 2d39 a4f0 ab32 ab7c 10286 118c6 118ce 1f154 1f174 1f1ea`,
  i: `
    131 142 2db 37a 19a 1c0 268 269 26a 26b 26d 29f 3b9 456 4cf 5c0 5d5 5df 627 661 673 6f1 7ca 14aa 16c1 1d7b 1d7c 2223
    2373 2378 23fd 2502 2c93 2cd1 2d4f a4e1 a4f2 a647 ab75 abae 1028a 10309 10320 10443 10526 118c3 118d2 16f16
    16f28 1d22a 1e8c7 1f158 1f15b 1f178 1f17b 1f1ee 1f1f1`,
  o: `
    c02 c82 d02 d82 f8 275 3b8 3bf 3c3 43e 473 4e9 585 5e1 647 665 6be 6c1 6d5 6f5 6ff 7c0 966 9e6 a66 ae6 b20 b66 be6 c66 ce6 d20
    d66 e50 ed0 1010 101d 1040 10ff 12d0 1c82 1d0f 1d11 2296 229d 236c 2c9f 2d31 2d41 2d54 3007 a4f3 a74b ab3d
    ab3e ab74 ab8e abbb 10292 102ab 1042c 104ea 10516 114d0 118c8 118d5 118d7 118e0 1d21a 1f15e 1f17e 1f1f4 1f714`,
  p: `
    1a5 3c1 440 146d 1d18 1d7d 2374 2ca3 a4d1 abb2 10295 1f15f 1f17f 1f1f5`,
  r: `
    24d 27c 27d 280 433 493 1587 1d26 1d72 2c85 a4e3 ab47 ab48 ab71 ab81 aba2 104dc 16f35 1d216 1f161 1f181 1f1f7`,
  t: `
    167 1ad 288 3c4 442 4ad 1c84 1c85 1d1b 1d75 20ae 22a4 2361 27d9 2c66 2ca7 a4d4 ab72 10297 102b1 10315 118dc
    16f0a 1f163 1f183 1f1f9 1f768`,
} as const;

const letters: ReadonlyMap<string, string> = new Map([
  ['l', 'i'],
  ['1', 'i'],
  ['|', 'i'],
  ['0', 'o'],
  ...Object.entries(lookAlikes).flatMap(([letter, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => [String.fromCodePoint(Number.parseInt(code, 16)), letter] as const),
  ),
]);

/**
 * The skeleton of a name, by which it is compared with the terminal's own names: two names that look like the same one
 * of those have the same skeleton. Case, width, accents, spaces and invisible characters do not count (Unicode, UAX #15
 * and UAX #44), nor does the empty braille pattern, which looks like a space but is a symbol by its properties.
 */
export function skeletonOf(name: string): string {
  const folded = replaceLookAlikes(name.toLowerCase()).normalize('NFKD').toLowerCase();
  return replaceLookAlikes(folded).replace(/\p{Mark}|\p{White_Space}|\p{Default_Ignorable_Code_Point}|\u2800/gu, '');
}

function replaceLookAlikes(text: string): string {
  return Array.from(text, (character) => letters.get(character) ?? character).join('');
}
