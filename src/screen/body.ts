import type { IncomingMessage } from 'node:http';

export type BodyRefusal = 'too-large' | 'not-json-type' | 'not-utf8' | 'aborted';

const bodyBytesMax = 4096;
/** So much is read and dropped, so that who sent it still reads the answer; more is cut off. */
const drainBytesMax = 1024 * 1024;

/** The body's text. Resolves in every case; the server's own time-outs end a body that never comes. */
export async function bodyText(request: IncomingMessage): Promise<string | { readonly refused: BodyRefusal }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > drainBytesMax) return { refused: 'too-large' };
      if (size <= bodyBytesMax) chunks.push(chunk);
    }
  } catch {
    return { refused: 'aborted' };
  }
  // A form or a text of another page needs no leave to be sent (Fetch, "CORS-safelisted request-header"); this type does.
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')) return { refused: 'not-json-type' };
  if (size > bodyBytesMax) return { refused: 'too-large' };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return { refused: 'not-utf8' };
  }
}
