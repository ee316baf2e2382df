import { Dots } from './dots.ts';

/** One step of an outline. For a curve only its end is used: the outlines of a bitmap font are straight. */
export interface OutlineCommand {
  readonly command: string;
  readonly args: readonly number[];
}

interface Edge {
  readonly x: number;
  readonly y0: number;
  readonly y1: number;
}

/**
 * The dots whose centre is inside an outline, by non-zero winding (OpenType 1.9, TrueType outlines). `unit`: the width
 * of a dot in the outline's units. `ascent`: the rows above the baseline.
 */
export function outlineDots(
  outline: readonly OutlineCommand[],
  { width, height, unit, ascent }: { width: number; height: number; unit: number; ascent: number },
): Dots {
  const edges = uprightEdges(outline);
  const dots = new Dots(width, height);
  for (let y = 0; y < height; y++) {
    const middle = (ascent - y - 0.5) * unit;
    const crossed = edges.filter(({ y0, y1 }) => Math.min(y0, y1) < middle && middle < Math.max(y0, y1));
    for (let x = 0; x < width; x++) {
      const right = (x + 0.5) * unit;
      const winding = crossed.reduce((sum, edge) => (edge.x < right ? sum + Math.sign(edge.y1 - edge.y0) : sum), 0);
      if (winding !== 0) dots.fill(x, y);
    }
  }
  return dots;
}

/** The vertical edges, the only ones that a horizontal ray can cross. */
function uprightEdges(outline: readonly OutlineCommand[]): Edge[] {
  const edges: Edge[] = [];
  let start: readonly [number, number] = [0, 0];
  let [x, y] = start;
  const to = (nextX: number, nextY: number): void => {
    if (nextX === x && nextY !== y) edges.push({ x, y0: y, y1: nextY });
    [x, y] = [nextX, nextY];
  };
  for (const { command, args } of outline) {
    if (command === 'closePath') {
      to(...start);
      continue;
    }
    const [endX = 0, endY = 0] = args.slice(-2);
    if (command === 'moveTo') start = [x, y] = [endX, endY];
    else to(endX, endY);
  }
  return edges;
}
