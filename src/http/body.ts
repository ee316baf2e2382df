import type { IncomingMessage } from 'node:http';

export type BodyRefusal = 'too-large' | 'not-json-type' | 'not-utf8' | 'aborted';

export interface BodyLimits {
  readonly bytesMax: number;
  /**
   * This much more is read and dropped: most clients read the answer only after they have sent everything, and closing
   * the connection earlier would lose it.
   */
  readonly drainBytesMax: number;
}

/** Reads the body as text. Resolves in every case; the server's own time-outs end a body that does not arrive. */
export async function bodyText(
  request: IncomingMessage,
  { bytesMax, drainBytesMax }: BodyLimits,
): Promise<string | { readonly refused: BodyRefusal }> {
  const { 'content-type': type = '', 'content-length': declared } = request.headers;
  if (Number(declared ?? 0) > bytesMax + drainBytesMax) return { refused: 'too-large' };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bytesMax + drainBytesMax) return { refused: 'too-large' };
      if (size <= bytesMax) chunks.push(chunk);
    }
  } catch {
    return { refused: 'aborted' };
  }
  // Another page may send a form or a text without a preflight (Fetch, "CORS-safelisted request-header"), but not this
  // type.
  if (!/^application\/json\s*(?:;|$)/i.test(type)) return { refused: 'not-json-type' };
  if (size > bytesMax) return { refused: 'too-large' };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return { refused: 'not-utf8' };
  }
}

/** Reads and drops the rest of an unwanted body. Destroys a connection that sends more than `bytesMax` of it. */
export function dropBody(request: IncomingMessage, bytesMax: number): void {
  const { socket } = request;
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > bytesMax) socket.destroy();
  });
}
