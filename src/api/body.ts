import type { IncomingMessage } from 'node:http';

export type BodyRefusal = 'too-large' | 'not-json-type' | 'not-utf8' | 'aborted';

/** After an early refusal this much more is read and dropped, so that the client gets to read the answer. */
const drainBytesMax = 16 * 1024 * 1024;

/**
 * The body's text. Refused before it is read where the headers suffice. Resolves in every case; the server's own
 * time-outs end a body that never comes.
 */
export async function bodyText(request: IncomingMessage, bytesMax: number): Promise<string | { refused: BodyRefusal }> {
  if (!/^application\/json(?:\s*;|$)/i.test(request.headers['content-type'] ?? ''))
    return drained(request, 'not-json-type');
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return drained(request, 'too-large');
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bytesMax + drainBytesMax) break;
      if (size <= bytesMax) chunks.push(chunk);
    }
  } catch {
    return { refused: 'aborted' };
  }
  if (size > bytesMax) return { refused: 'too-large' };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return { refused: 'not-utf8' };
  }
}

/** Drops what comes of the body, up to a bound, without waiting for it. */
function drained(request: IncomingMessage, refused: BodyRefusal): { refused: BodyRefusal } {
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > drainBytesMax) request.destroy();
  });
  request.on('error', () => undefined);
  return { refused };
}
