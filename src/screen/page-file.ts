import { readdir } from 'node:fs/promises';

/** A file of the page: where it is, and its Content-Type. */
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

/** By the path of their request. Only what was there at the start: no path of a request ever names a file. */
export async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  files.set('/', { url: new URL('index.html', folder), type: 'text/html; charset=utf-8' });
  for (const name of await readdir(folder)) {
    const type = types[name.slice(name.lastIndexOf('.') + 1)];
    if (type !== undefined) files.set(`/${name}`, { url: new URL(name, folder), type });
  }
  // What a firmware without a Chinese font draws Chinese with: page.css names it last, so nobody else loads it.
  const font = import.meta.resolve('@fontsource/unifontex/files/unifontex-latin-400-normal.woff2');
  files.set('/unifont.woff2', { url: new URL(font), type: 'font/woff2' });
  return files;
}
