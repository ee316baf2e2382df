import type { IncomingMessage } from 'node:http';

/** More than four times a form with every published field at its longest. */
export const bodyBytesMax = 16 * 1024;

export type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'tooLong' }
  /** The connection ended before the body. */
  | { readonly kind: 'cut' };

export function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    // Bytes beyond the limit are read and dropped, so that the client is able to read the answer.
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bodyBytesMax) chunks.push(chunk);
      else resolve({ kind: 'tooLong' });
    });
    request.on('end', () => resolve({ kind: 'whole', bytes: Buffer.concat(chunks) }));
    // The error itself is ignored: 'close' follows every error.
    request.on('error', () => undefined);
    request.on('close', () => resolve({ kind: 'cut' }));
  });
}
