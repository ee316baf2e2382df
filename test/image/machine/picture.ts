import { PNG } from 'pngjs';

export type Colour = `#${string}`;

/** What a display shows. */
export class Picture {
  readonly width: number;
  readonly height: number;
  readonly #pixels: Buffer;

  constructor(png: Buffer) {
    const { width, height, data } = PNG.sync.read(png);
    this.width = width;
    this.height = height;
    this.#pixels = data;
  }

  at(x: number, y: number): Colour {
    const place = 4 * (y * this.width + x);
    return `#${this.#pixels.subarray(place, place + 3).toString('hex')}`;
  }

  /** How many pixels have that colour. */
  count(colour: Colour): number {
    const [red, green, blue] = Buffer.from(colour.slice(1), 'hex');
    let count = 0;
    for (let place = 0; place < this.#pixels.length; place += 4) {
      const [r, g, b] = this.#pixels.subarray(place, place + 3);
      if (r === red && g === green && b === blue) count += 1;
    }
    return count;
  }

  /** How many colours there are. */
  get colours(): number {
    const seen = new Set<number>();
    for (let place = 0; place < this.#pixels.length; place += 4) seen.add(this.#pixels.readUIntBE(place, 3));
    return seen.size;
  }
}
