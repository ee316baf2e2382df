/** A module of the page, which is plain JavaScript: what it exports, as the caller says it is. */
export async function pageModule<T>(name: string): Promise<T> {
  return (await import(new URL(`../../src/screen/page/${name}.js`, import.meta.url).href)) as T;
}
