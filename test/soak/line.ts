export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Slope of the line of least squares, in units of y for each of x. NaN where all points have the same x. */
export function slope(points: readonly Point[]): number {
  const mean = (pick: (point: Point) => number) => points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const over = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  return over / points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
}
