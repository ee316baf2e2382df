// The drawing in the terminal's form (src/base/domain/signature.ts): each stroke is x, y, x, y … in a small grid.
/** @import { Signature, Strokes } from './types.ts' */

export const limits = { width: 384, height: 128, strokesMax: 64, pointsMax: 1200, pointsMin: 2 };
/** A point nearer to the last one, in dots of the grid, adds nothing to the line. */
const nearest = 3;

/**
 * Adds a point to the last stroke if that is open, or else to a new one. Returns whether the stroke is open now: it
 * ends outside the grid. Points beyond the limits are not drawn.
 * @type {(strokes: Strokes, x: number, y: number, isOpen: boolean) => boolean}
 */
export function addPoint(strokes, x, y, isOpen) {
  if (!(x >= 0 && y >= 0 && x < limits.width && y < limits.height)) return false;
  if (pointsOf(strokes) >= limits.pointsMax) return isOpen;
  const last = strokes.at(-1);
  if (isOpen && last !== undefined) {
    const [lastX = x, lastY = y] = last.slice(-2);
    if (Math.hypot(x - lastX, y - lastY) >= nearest) last.push(x, y);
    return true;
  }
  if (strokes.length === limits.strokesMax) return false;
  strokes.push([x, y]);
  return true;
}

/** @type {(strokes: Signature) => number} */
export function pointsOf(strokes) {
  return strokes.reduce((sum, stroke) => sum + stroke.length / 2, 0);
}

/**
 * The path of a drawing. A point alone is a dot: a line of no length has round ends.
 * @type {(strokes: Signature) => string}
 */
export function lineOf(strokes) {
  return strokes.map(([x, y, ...rest]) => `M${x} ${y}${rest.length > 0 ? `L${rest.join(' ')}` : 'h0'}`).join('');
}
