import { readdir, readFile } from 'node:fs/promises';
import { shownNames } from '../base/domain/kind-names.ts';
import type { ScreenStyle } from '../base/domain/screen-style.ts';

/** A file of the page: its Content-Type, and its content. `read` rejects with the system's error. */
export interface PageFile {
  readonly type: string;
  readonly read: () => Promise<Uint8Array | string>;
}

/** The shop's logo. `type`: its Content-Type. */
export interface PageLogo {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The content of style.json: the style, and the zone of the shop's times. */
export interface PageStyle extends ScreenStyle {
  readonly timeZone: string;
}

const folder = new URL('./page/', import.meta.url);

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

const logoPath = '/shop-logo';

/** The files by request path, listed once at the start: a request path is never used as a file name. */
export async function pageFiles(style: ScreenStyle, logo?: PageLogo): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  files.set('/', fileAt(new URL('index.html', folder), 'text/html; charset=utf-8'));
  for (const name of await readdir(folder)) {
    const type = types[name.slice(name.lastIndexOf('.') + 1)];
    if (type !== undefined) files.set(`/${name}`, fileAt(new URL(name, folder), type));
  }
  // Chinese font for a firmware without one. page.css names it last, so other browsers do not load it.
  const font = import.meta.resolve('@fontsource/unifontex/files/unifontex-latin-400-normal.woff2');
  files.set('/unifont.woff2', fileAt(new URL(font), 'font/woff2'));
  if (logo) files.set(logoPath, { type: logo.type, read: async () => logo.bytes });
  const settings = { ...style, ...(logo ? { logo: logoPath } : {}) };
  // The zone is the process's: the browser's may be another. Not read before it is needed: see lazyTimeZone.
  const pageStyle = (): PageStyle => ({
    ...settings,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  files.set('/style.json', { type: 'application/json', read: async () => JSON.stringify(pageStyle()) });
  const names = JSON.stringify(shownNames());
  files.set('/kind-names.json', { type: 'application/json', read: async () => names });
  return files;
}

/** Read with the first request for it, and kept: all answers share the bytes. */
function fileAt(url: URL, type: string): PageFile {
  let bytes: Promise<Uint8Array> | undefined;
  const read = () =>
    (bytes ??= readFile(url).catch((error: unknown) => {
      // The next request tries again.
      bytes = undefined;
      throw error;
    }));
  return { type, read };
}

/** Headers that let the page load resources of its own origin only, and only the origins `framedBy` frame it. */
export function guards(framedBy: readonly string[]): Record<string, string> {
  const ancestors = framedBy.length === 0 ? "'none'" : framedBy.join(' ');
  return {
    'content-security-policy': `default-src 'self'; frame-ancestors ${ancestors}`,
    'x-content-type-options': 'nosniff',
  };
}
