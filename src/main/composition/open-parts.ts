/** Opened parts, closed in reverse order. */
export class OpenParts {
  readonly #parts: { close(): Promise<void> }[] = [];

  add<T extends { close(): Promise<void> }>(part: T): T {
    this.#parts.push(part);
    return part;
  }

  async close(onFailure: (error: unknown) => void): Promise<void> {
    for (const part of this.#parts.splice(0).toReversed()) await part.close().catch(onFailure);
  }
}
