import { readFile } from 'node:fs/promises';

/** Where `poid/client` lies once it is built (build/client.ts): beside the bundle, or in dist/ of a checkout. */
const places = ['./client.js', '../../../dist/client.js'].map((place) => new URL(place, import.meta.url));

/** The client for browsers, as one module. Rejects with the system's error (ENOENT) in a checkout without it. */
export async function readClient(): Promise<string> {
  const [beside, built] = places as [URL, URL];
  return readFile(beside, 'utf8').catch(() => readFile(built, 'utf8'));
}
