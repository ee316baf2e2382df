import { readSecret, writeSecret } from '../../base/secrets/secret-file.ts';
import type { FeedCursor, FeedPlace } from './feed-sink.ts';

/** A cursor in a file of its own, for a sink that does not report its position. */
export class FileCursor implements FeedCursor {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Without a place in the file, the sink gets all entries again. */
  async load(): Promise<FeedPlace | undefined> {
    return placeIn((await readSecret(this.#file)) ?? '');
  }

  /** Resolves once it survives a power cut. */
  save({ stream, seq }: FeedPlace): Promise<void> {
    return writeSecret(this.#file, JSON.stringify({ stream, seq }));
  }
}

function placeIn(text: string): FeedPlace | undefined {
  try {
    const { stream, seq } = JSON.parse(text) as Record<string, unknown>;
    const isPlace = typeof stream === 'string' && typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0;
    return isPlace ? { stream, seq } : undefined;
  } catch {
    return undefined;
  }
}
