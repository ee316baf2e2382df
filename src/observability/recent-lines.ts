/** The newest lines of a log, as many as fit. */
export class RecentLines {
  readonly #bytesMax: number;
  #lines: string[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#bytes += line.length;
    while (this.#bytes > this.#bytesMax) this.#bytes -= this.#lines.shift()?.length ?? this.#bytes;
  }
}
