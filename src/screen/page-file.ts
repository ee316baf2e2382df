import { readdir } from 'node:fs/promises';

/** A file of the page: its location and its Content-Type. */
export interface PageFile {
  readonly url: URL;
  readonly type: string;
}

const folder = new URL('./page/', import.meta.url);

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The files by request path, listed once at the start: a request path is never used as a file name. */
export async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  files.set('/', { url: new URL('index.html', folder), type: 'text/html; charset=utf-8' });
  for (const name of await readdir(folder)) {
    const type = types[name.slice(name.lastIndexOf('.') + 1)];
    if (type !== undefined) files.set(`/${name}`, { url: new URL(name, folder), type });
  }
  // Chinese font for a firmware without one. page.css names it last, so other browsers do not load it.
  const font = import.meta.resolve('@fontsource/unifontex/files/unifontex-latin-400-normal.woff2');
  files.set('/unifont.woff2', { url: new URL(font), type: 'font/woff2' });
  return files;
}
