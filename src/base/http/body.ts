import type { IncomingMessage } from 'node:http';
import { type ContentRefusal, contentRefusal } from './content.ts';

export type BodyRefusal = ContentRefusal | 'too-large' | 'not-utf8' | 'aborted' | 'transfer-coded';

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
  const { 'content-length': declared, 'transfer-encoding': coding = 'chunked' } = request.headers;
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
  // Node has undone the chunks, and nothing else.
  if (coding.trim().toLowerCase() !== 'chunked') return { refused: 'transfer-coded' };
  const refused = contentRefusal(contentOf(request));
  if (refused) return { refused };
  if (size > bytesMax) return { refused: 'too-large' };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return { refused: 'not-utf8' };
  }
}

/** With two Content-Type headers, a reader may use either one, so the body counts as having no type. */
function contentOf({ headers, rawHeaders }: IncomingMessage) {
  const types = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-type').length;
  const { 'content-type': type = '', 'content-encoding': encoding } = headers;
  return { type: types > 1 ? '' : type, encoding };
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
