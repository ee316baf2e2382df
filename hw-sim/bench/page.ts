import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';

const modules = [
  'books',
  'call',
  'cards',
  'element',
  'faults',
  'faults-set',
  'findings',
  'guide',
  'host-mode',
  'hosts',
  'message',
  'mode-form',
  'mode-text',
  'money',
  'octopus',
  'once-more',
  'page',
  'phones',
  'pin-pad',
  'power',
  'printer',
  'reader',
  'scanner',
  'scenarios',
  'screen',
  'terminal-state',
  'till',
  'till-calls',
  'till-code',
  'till-form',
  'views',
  'wire-frame',
  'wires',
];
const styles = ['bench', 'customer', 'page', 'scenarios', 'till', 'wires'];

/** Path → file and content type; no other file of the folder is ever sent. */
const files: ReadonlyMap<string, readonly [file: string, type: string]> = new Map([
  ['/', ['index.html', 'text/html; charset=utf-8']],
  ['/icon.svg', ['icon.svg', 'image/svg+xml']],
  ...named(styles, 'css', 'text/css; charset=utf-8'),
  ...named(modules, 'js', 'text/javascript; charset=utf-8'),
]);

function named(names: readonly string[], ending: string, type: string): [string, [string, string]][] {
  return names.map((name) => [`/${name}.${ending}`, [`${name}.${ending}`, type]]);
}

const ownOnly = "default-src 'self'";
/** The terminal's screen, which is on this machine. */
const terminalFrames = 'frame-src http://127.0.0.1:* http://localhost:*';

export const pagePaths: readonly string[] = [...files.keys()];

export async function sendPage(path: string, response: ServerResponse): Promise<void> {
  const [file, type] = files.get(path) ?? [];
  if (file === undefined || type === undefined) throw new Error(`no page at ${path}`);
  const content = await readFile(new URL(`../page/${file}`, import.meta.url));
  response.writeHead(200, {
    'content-type': type,
    'cache-control': 'no-cache',
    'content-security-policy': path === '/' ? `${ownOnly}; ${terminalFrames}` : ownOnly,
    'x-content-type-options': 'nosniff',
  });
  response.end(content);
}
