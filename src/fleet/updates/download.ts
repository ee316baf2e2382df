import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { HttpAnswer, HttpExchange } from './http-exchange.ts';

export interface Artifact {
  readonly url: URL;
  /** In bytes. */
  readonly size: number;
  /** 64 digits, lower case. */
  readonly sha256: string;
}

/**
 * unfinished: its time was over. interrupted: the connection broke. In both cases the received part is kept, and the
 * next call continues after it. corrupt: the file is complete but has another hash; it is removed. full: the disk has
 * no space.
 */
export type Downloaded =
  | { readonly state: 'done' }
  | { readonly state: 'unfinished' }
  | { readonly state: 'interrupted' | 'corrupt' | 'full'; readonly reason: string };

export interface DownloadOptions {
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Interrupts the download and keeps the received part: over a slow line it takes hours, and hawkBit may cancel
   * meanwhile.
   */
  readonly until: AbortSignal;
}

const tookTooLong = 'its time is over';

/** Space that must stay free beside a bundle, for the journal and the log. */
const spareBytes = 67_108_864;

/**
 * Downloads to `file`, which is complete or absent, and survives a power cut. The received part is in `file`.part, for
 * one artifact: a download of another one must remove it first. Rejects only if the disk fails.
 */
export async function download(
  { url, size, sha256 }: Artifact,
  file: string,
  http: HttpExchange,
  { headers, until }: DownloadOptions,
): Promise<Downloaded> {
  const part = `${file}.part`;
  const { bavail, bsize } = await statfs(path.dirname(file));
  const known = await lengthOf(part);
  if (bavail * bsize < size - known + spareBytes) return { state: 'full', reason: 'the disk has no room for it' };
  const handle = await open(part, known > size ? 'w' : 'a');
  try {
    const from = (await handle.stat()).size;
    if (from < size) {
      const interrupted = await receive(handle, from, { url, size }, http, { headers, until });
      if (interrupted === tookTooLong) return { state: 'unfinished' };
      if (interrupted !== undefined) return { state: 'interrupted', reason: interrupted };
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  if ((await digestOf(part)) !== sha256) {
    await rm(part);
    return { state: 'corrupt', reason: 'its SHA-256 is not the one that hawkBit announced' };
  }
  await rename(part, file);
  await syncFolder(path.dirname(file));
  return { state: 'done' };
}

/** Returns why the download is not complete. */
async function receive(
  handle: FileHandle,
  from: number,
  { url, size }: Pick<Artifact, 'url' | 'size'>,
  http: HttpExchange,
  { headers, until }: DownloadOptions,
): Promise<string | undefined> {
  let answer: HttpAnswer;
  try {
    const range = from > 0 ? { Range: `bytes=${from}-` } : {};
    answer = await http.send({ method: 'GET', url, headers: { ...headers, ...range } });
  } catch (error) {
    return (error as Error).message;
  }
  let at = await placeOf(answer, from, handle);
  if (typeof at === 'string') {
    answer.drop();
    return at;
  }
  // This also applies while only bytes outside the body are received, such as trailers.
  const leave = () => answer.drop();
  until.addEventListener('abort', leave);
  try {
    if (until.aborted) return tookTooLong;
    for await (const bytes of answer.body) {
      at += bytes.length;
      if (at > size) {
        answer.drop();
        await handle.truncate(0);
        return `more came than the ${size} bytes that hawkBit announced`;
      }
      await handle.appendFile(bytes);
      if (at < size && until.aborted) return tookTooLong;
    }
  } catch (error) {
    // A write that failed is a fault of the disk.
    if ((error as NodeJS.ErrnoException).syscall === 'write') throw error;
    if (until.aborted) return tookTooLong;
    return `after ${at} of ${size} bytes: ${(error as Error).message}`;
  } finally {
    until.removeEventListener('abort', leave);
    answer.drop();
  }
  return at === size ? undefined : `it ended after ${at} of ${size} bytes`;
}

/** The position at which the body continues; a sentence if it can't be used (RFC 9110, 14.4 and 15.3.7). */
async function placeOf({ status, headers }: HttpAnswer, from: number, handle: FileHandle): Promise<number | string> {
  if (status === 206 && from > 0) {
    if (headers['content-range']?.startsWith(`bytes ${from}-`)) return from;
    await handle.truncate(0);
    return 'another range came than was asked for';
  }
  // A server that does not support ranges sends the whole file.
  if (status === 200) {
    await handle.truncate(0);
    return 0;
  }
  if (status === 416) await handle.truncate(0);
  return `the server answers ${status}`;
}

async function lengthOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
