const lineFeed = 0x0a;
/** GS v 0: m, then xL xH (bytes across) and yL yH (dots down), then the picture. */
const raster = [0x1d, 0x76, 0x30] as const;
const rasterHeader = 8;
/** A line is 1/6 inch, 30 dots at 180 dpi (recalled). */
const dotsPerLine = 30;

/**
 * How much paper a job moves, in lines: its line feeds, and the height of its pictures, whose data may hold any byte.
 * A picture that is cut short counts as far as its header says.
 */
export function linesOf(job: Uint8Array): number {
  let lineFeeds = 0;
  let dots = 0;
  for (let at = 0; at < job.length; ) {
    if (raster.every((byte, offset) => job[at + offset] === byte)) {
      const [xLow = 0, xHigh = 0, yLow = 0, yHigh = 0] = job.subarray(at + 4, at + rasterHeader);
      const height = yLow + yHigh * 0x100;
      dots += height;
      at += rasterHeader + (xLow + xHigh * 0x100) * height;
      continue;
    }
    if (job[at] === lineFeed) lineFeeds++;
    at++;
  }
  return lineFeeds + Math.ceil(dots / dotsPerLine);
}
