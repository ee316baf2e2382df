import type { IncomingMessage } from 'node:http';
import type * as z from 'zod';
import { HttpError } from './http-error.ts';

const bodyMaxBytes = 64 * 1024;

/** The parsed body of each request. */
const bodies = new WeakMap<IncomingMessage, unknown>();

/** The body that `readBody` has read; undefined if it was not called, or the body is no object. */
export function bodyRead(request: IncomingMessage): Record<string, unknown> | undefined {
  const body = bodies.get(request);
  return typeof body === 'object' && body !== null ? { ...body } : undefined;
}

/**
 * The body of a request, parsed by `schema`; an empty body counts as {}. Throws HttpError 413 or 400 with a sentence
 * that names the field. If a misspelt fault were ignored, the test that uses it would prove nothing.
 */
export async function readBody<T>(request: IncomingMessage, schema: z.ZodType<T>): Promise<T> {
  const text = await readText(request);
  const parsed = schema.safeParse(text.trim() === '' ? {} : parseJson(text));
  if (parsed.success) {
    bodies.set(request, parsed.data);
    return parsed.data;
  }
  const sentences = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw new HttpError(400, sentences.join('; '));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyMaxBytes) {
      throw new HttpError(413, `a body has at most ${bodyMaxBytes} bytes`, { connection: 'close' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'the body is not JSON');
  }
}
