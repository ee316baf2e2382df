/** A signature drawn on the screen: each stroke is the points of a line in the grid, as x, y, x, y … */
export type Signature = readonly (readonly number[])[];

/**
 * x counts from the left, y from the top. As many dots as the narrowest paper is wide, so that nothing is scaled there.
 */
export const signatureGrid = { width: 384, height: 128 } as const;

/** A long name with its flourish has some 300 points. An event of the journal stays below 10 KB. */
export const strokesMax = 64;
export const pointsMax = 1_200;
/** Less is no line. */
const pointsMin = 2;

/** Whether this is a signature. The page that sends it is not trusted. */
export function isSignature(value: unknown): value is Signature {
  if (!Array.isArray(value) || value.length === 0 || value.length > strokesMax) return false;
  let numbers = 0;
  for (const stroke of value as readonly unknown[]) {
    if (!Array.isArray(stroke) || stroke.length === 0 || stroke.length % 2 !== 0) return false;
    numbers += stroke.length;
    if (numbers > 2 * pointsMax || !stroke.every(isWithinGrid)) return false;
  }
  return numbers >= 2 * pointsMin;
}

function isWithinGrid(value: unknown, index: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < sizeAt(index);
}

function sizeAt(index: number): number {
  return index % 2 === 0 ? signatureGrid.width : signatureGrid.height;
}
