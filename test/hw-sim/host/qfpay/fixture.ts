import { readFile } from 'node:fs/promises';

/** fixtures/<file> as it was written. */
export async function fixture<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(new URL(`../../../../fixtures/${file}`, import.meta.url), 'utf8')) as T;
}
