/** The filler nibble of a byte that an odd number of digits leaves half empty, and its side. */
export interface Padding {
  readonly side: 'left' | 'right';
  readonly nibble: '0' | 'F';
}

export const leftZero: Padding = { side: 'left', nibble: '0' };
export const rightZero: Padding = { side: 'right', nibble: '0' };

/** '051' → '0051' (left zero). An even number of nibbles stays as it is. */
export function pad(nibbles: string, padding: Padding): string {
  if (nibbles.length % 2 === 0) return nibbles;
  return padding.side === 'left' ? padding.nibble + nibbles : nibbles + padding.nibble;
}

/** The `count` nibbles of whole bytes without their filler; undefined if the filler is not the agreed one. */
export function unpad(nibbles: string, count: number, padding: Padding): string | undefined {
  if (nibbles.length === count) return nibbles;
  const filler = padding.side === 'left' ? nibbles[0] : nibbles.at(-1);
  if (filler !== padding.nibble) return undefined;
  return padding.side === 'left' ? nibbles.slice(1) : nibbles.slice(0, -1);
}
