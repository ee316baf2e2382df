import type { Clock } from '../../base/ports/clock.ts';

type Timers = Pick<Clock, 'setTimeout' | 'clearTimeout'>;

/** One request of HTTP. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The head of an answer, and its body as it arrives. A caller that does not read the body must drop it. */
export interface HttpAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Throws if the connection ends before the body does, or is silent for too long. */
  readonly body: AsyncIterable<Uint8Array>;
  drop(): void;
}

export interface HttpExchange {
  /** Rejects where no answer comes: no connection, no trust in the certificate, silence. */
  send(request: HttpRequest): Promise<HttpAnswer>;
}

/** A server that sends a byte now and then is not silent, and never done. */
const bodyMs = 60_000;

/** Reads a body of at most `bytesMax`. Rejects beyond, and if it takes too long in all. */
export async function readBody(answer: HttpAnswer, bytesMax: number, clock: Timers): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let isLate = false;
  const timer = clock.setTimeout(() => {
    isLate = true;
    answer.drop();
  }, bodyMs);
  try {
    for await (const part of answer.body) {
      size += part.length;
      if (size > bytesMax) {
        answer.drop();
        throw new Error(`an answer of more than ${bytesMax} bytes`);
      }
      parts.push(part);
    }
  } catch (error) {
    throw isLate ? new Error(`an answer that takes more than ${bodyMs} ms`) : error;
  } finally {
    clock.clearTimeout(timer);
  }
  return Buffer.concat(parts);
}
