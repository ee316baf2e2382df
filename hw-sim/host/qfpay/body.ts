import type { IncomingMessage } from 'node:http';

/** A form of every published field at its longest has not a quarter of that. */
export const bodyBytesMax = 16 * 1024;

export type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'tooLong' }
  /** The connection ended before it. */
  | { readonly kind: 'cut' };

export function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    // What is beyond the limit is let through unseen, so that the answer finds a client that listens.
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bodyBytesMax) chunks.push(chunk);
      else resolve({ kind: 'tooLong' });
    });
    request.on('end', () => resolve({ kind: 'whole', bytes: Buffer.concat(chunks) }));
    // What went wrong does not matter: 'close' follows every error.
    request.on('error', () => undefined);
    request.on('close', () => resolve({ kind: 'cut' }));
  });
}
