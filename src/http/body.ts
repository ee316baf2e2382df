import type { IncomingMessage } from 'node:http';

export type BodyRefusal = 'too-large' | 'not-json-type' | 'not-utf8' | 'aborted';

export interface BodyLimits {
  readonly bytesMax: number;
  /**
   * So much more than that is read and dropped: most clients read an answer only once they have sent all, and a connection closed
   * before that takes the answer with it.
   */
  readonly drainBytesMax: number;
}

/** The body's text. Resolves in every case; the server's own time-outs end a body that never comes. */
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
  // A form or a text of another page needs no leave to be sent (Fetch, "CORS-safelisted request-header"); this type does.
  if (!/^application\/json\s*(?:;|$)/i.test(type)) return { refused: 'not-json-type' };
  if (size > bytesMax) return { refused: 'too-large' };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return { refused: 'not-utf8' };
  }
}

/** Reads and drops what still comes of a body that nobody wants; a connection that brings more than `bytesMax` of it is closed. */
export function dropBody(request: IncomingMessage, bytesMax: number): void {
  const { socket } = request;
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > bytesMax) socket.destroy();
  });
}
