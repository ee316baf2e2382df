import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { PacedSocket } from './paced-socket.ts';

/** The headers that describe a body. */
interface Content {
  /** Content-Type; empty if there is none. */
  readonly type: string;
  /** Content-Encoding. */
  readonly encoding?: string | undefined;
}

/** encoded: gzip and others. not-utf8-type: its Content-Type names another charset than UTF-8. */
export type ContentRefusal = 'encoded' | 'not-json-type' | 'not-utf8-type';

/** One parameter of a media type (RFC 9110, 5.6.6). Spaces around = are not allowed there, and harmless. */
const parameter = /\s*;\s*(?:([^\s;="]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;"]*))?/y;

/** Why this is not JSON in UTF-8 as it stands; undefined if it is. */
export function contentRefusal({ type, encoding = '' }: Content): ContentRefusal | undefined {
  const codings = encoding.split(',').map((coding) => coding.trim().toLowerCase());
  if (codings.some((coding) => coding !== '' && coding !== 'identity')) return 'encoded';
  // Another page may send a form or a text without a preflight (Fetch, "CORS-safelisted request-header"), but not this
  // type.
  const [name = ''] = /^application\/json(?=\s*(?:;|$))/i.exec(type) ?? [];
  if (name === '') return 'not-json-type';
  return charsets(type.slice(name.length)).every((charset) => /^utf-?8$/i.test(charset)) ? undefined : 'not-utf8-type';
}

/** Every charset that the parameters name. An unreadable parameter counts as one if it may name one. */
function charsets(parameters: string): string[] {
  const found: string[] = [];
  let end = 0;
  parameter.lastIndex = 0;
  for (let each = parameter.exec(parameters); each; each = parameter.exec(parameters)) {
    const [, name = '', value = ''] = each;
    end = parameter.lastIndex;
    if (name.toLowerCase() === 'charset') found.push(unquote(value));
  }
  const unread = parameters.slice(end);
  return /charset/i.test(unread) ? [...found, unread] : found;
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
}

export type BodyRefusal = ContentRefusal | 'too-large' | 'not-utf8' | 'aborted' | 'transfer-coded';

export interface BodyLimits {
  readonly bytesMax: number;
  /**
   * This much more is read and dropped: most clients read the answer only after they have sent everything, and closing
   * the connection earlier would lose it.
   */
  readonly drainBytesMax: number;
}

/**
 * A body may come with so many more bytes than it may have itself: sizes of its chunks, and their extensions (RFC 9112,
 * 7.1.1), which Node's parser reads and drops. A client with a reason for extensions is not known.
 */
const framingBytesMax = 65_536;

/**
 * Reads the body as text. Resolves in every case; the server's own time-outs end a body that does not arrive. A body
 * that is by far too large, or comes with far too many bytes around it, is not read to its end.
 */
export async function bodyText(
  request: IncomingMessage,
  { bytesMax, drainBytesMax }: BodyLimits,
): Promise<string | { readonly refused: BodyRefusal }> {
  const { 'content-length': declared, 'transfer-encoding': coding = 'chunked' } = request.headers;
  if (Number(declared ?? 0) > bytesMax + drainBytesMax) return { refused: 'too-large' };
  const body = new BodyBytes();
  const passed = passedBytesOf(request);
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      const isFramed = passed !== undefined && passed() - size > bytesMax + framingBytesMax;
      if (size > bytesMax + drainBytesMax || isFramed) return { refused: 'too-large' };
      if (size <= bytesMax) body.add(chunk);
    }
  } catch {
    return { refused: 'aborted' };
  }
  // Node decodes only the chunks.
  if (coding.trim().toLowerCase() !== 'chunked') return { refused: 'transfer-coded' };
  const refused = contentRefusal(contentOf(request));
  if (refused) return { refused };
  if (size > bytesMax) return { refused: 'too-large' };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body.bytes);
  } catch {
    return { refused: 'not-utf8' };
  }
}

/**
 * The bytes of a body in one buffer. A chunk of one byte would otherwise keep the whole piece of the wire that it
 * came in.
 */
class BodyBytes {
  #room: Buffer = Buffer.alloc(0);
  #size = 0;

  add(chunk: Uint8Array): void {
    const size = this.#size + chunk.length;
    if (size > this.#room.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.#room.length));
      this.bytes.copy(larger);
      this.#room = larger;
    }
    this.#room.set(chunk, this.#size);
    this.#size = size;
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#size);
  }
}

/** Counts the bytes on the wire from now on; undefined for a connection that is not paced. */
function passedBytesOf({ socket }: IncomingMessage): (() => number) | undefined {
  const connection = socket as Duplex;
  if (!(connection instanceof PacedSocket)) return undefined;
  const { passedBytes } = connection;
  return () => connection.passedBytes - passedBytes;
}

/** With two Content-Type headers, a reader may use either one, so the body counts as having no type. */
function contentOf({ headers, rawHeaders }: IncomingMessage) {
  const types = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-type').length;
  const { 'content-type': type = '', 'content-encoding': encoding } = headers;
  return { type: types > 1 ? '' : type, encoding };
}

/** Reads and drops the rest of an unwanted body. Destroys a connection that sends more than `bytesMax` for it. */
export function dropBody(request: IncomingMessage, bytesMax: number): void {
  const { socket } = request;
  const passed = passedBytesOf(request);
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (Math.max(size, passed?.() ?? 0) > bytesMax) socket.destroy();
  });
}
