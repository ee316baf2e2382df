/** A bitmap of ink and no ink, as a thermal head prints it. Rows are packed: the leftmost dot is the highest bit. */
export class Dots {
  readonly width: number;
  readonly height: number;
  readonly rowBytes: number;
  readonly rows: Uint8Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.rowBytes = Math.ceil(width / 8);
    this.rows = new Uint8Array(this.rowBytes * height);
  }

  /** Outside the bitmap there is no ink. */
  ink(x: number, y: number): boolean {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return false;
    return (((this.rows[y * this.rowBytes + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 1;
  }

  /** Fills a rectangle with ink; parts outside the bitmap are clipped. */
  fill(left: number, top: number, width = 1, height = 1): void {
    for (let y = Math.max(top, 0); y < Math.min(top + height, this.height); y++) {
      for (let x = Math.max(left, 0); x < Math.min(left + width, this.width); x++) {
        const at = y * this.rowBytes + (x >> 3);
        this.rows[at] = (this.rows[at] ?? 0) | (0x80 >> (x & 7));
      }
    }
  }

  /** Adds the ink of another bitmap, eight dots at a time; parts outside this one are clipped. */
  draw(source: Dots, left: number, top: number): void {
    const column = Math.floor(left / 8);
    const shift = left - column * 8;
    for (let y = Math.max(top, 0); y < Math.min(top + source.height, this.height); y++) {
      for (let x = 0; x < source.rowBytes; x++) {
        const byte = source.rows[(y - top) * source.rowBytes + x] ?? 0;
        if (byte === 0) continue;
        this.#ink(column + x, y, byte >> shift);
        this.#ink(column + x + 1, y, (byte << (8 - shift)) & 0xff);
      }
    }
  }

  #ink(column: number, y: number, byte: number): void {
    if (column < 0 || column >= this.rowBytes) return;
    const beyond = Math.max(0, (column + 1) * 8 - this.width);
    const at = y * this.rowBytes + column;
    this.rows[at] = (this.rows[at] ?? 0) | (byte & (0xff << beyond));
  }
}
