/** What the sink has committed: everything of this stream up to `seq`. */
export interface Acknowledgement {
  readonly stream: string;
  readonly seq: number;
  /** Something before what it got is missing: it needs everything after `seq` again. */
  readonly again: boolean;
}

const bytesMax = 1_024;

/** Undefined for what is none: it comes over a broker, and anybody there may have written it. */
export function parseAcknowledgement(payload: Uint8Array): Acknowledgement | undefined {
  if (payload.length > bytesMax) return undefined;
  try {
    const { stream, seq, again } = JSON.parse(Buffer.from(payload).toString()) as Record<string, unknown>;
    if (typeof stream !== 'string' || typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0)
      return undefined;
    return { stream, seq, again: again === true };
  } catch {
    return undefined;
  }
}
