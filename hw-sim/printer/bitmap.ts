/** A picture of ink and no ink, one byte per dot: 1 is ink. */
export class Bitmap {
  readonly width: number;
  readonly height: number;
  readonly dots: Uint8Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.dots = new Uint8Array(width * height);
  }

  /** Unpacks rows of `widthBytes` bytes, the leftmost dot in the highest bit: the layout of GS v 0. */
  static fromRows(rows: Uint8Array, widthBytes: number): Bitmap {
    const bitmap = new Bitmap(widthBytes * 8, Math.floor(rows.length / widthBytes));
    for (let i = 0; i < bitmap.dots.length; i++) {
      bitmap.dots[i] = ((rows[i >> 3] ?? 0) >> (7 - (i & 7))) & 1;
    }
    return bitmap;
  }

  /** True where there is ink; outside the picture there is none. */
  ink(x: number, y: number): boolean {
    return x >= 0 && y >= 0 && x < this.width && y < this.height && this.dots[y * this.width + x] === 1;
  }

  /** Dots outside the picture are dropped. */
  fill(left: number, top: number, width: number, height: number, ink: 0 | 1 = 1): void {
    const right = Math.min(left + width, this.width);
    for (let y = Math.max(top, 0); y < Math.min(top + height, this.height); y++) {
      if (right > left) this.dots.fill(ink, y * this.width + Math.max(left, 0), y * this.width + right);
    }
  }

  frame(left: number, top: number, width: number, height: number, thickness = 2): void {
    this.fill(left, top, width, thickness);
    this.fill(left, top + height - thickness, width, thickness);
    this.fill(left, top, thickness, height);
    this.fill(left + width - thickness, top, thickness, height);
  }

  /** Adds the ink of `source`, each of its dots `scaleX` wide and `scaleY` high. */
  draw(source: Bitmap, left: number, top: number, scaleX = 1, scaleY = 1): void {
    for (let y = 0; y < source.height; y++) {
      for (let x = 0; x < source.width; x++) {
        if (source.ink(x, y)) this.fill(left + x * scaleX, top + y * scaleY, scaleX, scaleY);
      }
    }
  }

  invert(left: number, top: number, width: number, height: number): void {
    for (let y = top; y < Math.min(top + height, this.height); y++) {
      for (let x = left; x < Math.min(left + width, this.width); x++) {
        const at = y * this.width + x;
        this.dots[at] = this.dots[at] === 1 ? 0 : 1;
      }
    }
  }
}
