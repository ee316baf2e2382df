import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';

/** Path → file and content type; nothing else of the folder is ever sent. */
const files: ReadonlyMap<string, readonly [file: string, type: string]> = new Map([
  ['/', ['index.html', 'text/html; charset=utf-8']],
  ['/page.css', ['page.css', 'text/css; charset=utf-8']],
  ['/page.js', ['page.js', 'text/javascript; charset=utf-8']],
]);

export const pagePaths: readonly string[] = [...files.keys()];

export async function sendPage(path: string, response: ServerResponse): Promise<void> {
  const [file, type] = files.get(path) ?? [];
  if (file === undefined || type === undefined) throw new Error(`no page at ${path}`);
  const content = await readFile(new URL(`../page/${file}`, import.meta.url));
  response.writeHead(200, {
    'content-type': type,
    'cache-control': 'no-cache',
    'content-security-policy': "default-src 'self'",
    'x-content-type-options': 'nosniff',
  });
  response.end(content);
}
