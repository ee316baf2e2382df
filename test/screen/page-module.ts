import { shownNames } from '../../src/base/domain/kind-names.ts';

/** A page's modules ask their terminal for its style when they are loaded. */
const { fetch } = globalThis;
globalThis.fetch = (asked, ...more) =>
  asked === 'style.json' ? Promise.resolve(Response.json({ timeZone: 'UTC' })) : fetch(asked, ...more);

/** A module of the page, which is plain JavaScript: what it exports, as the caller says it is. */
export async function pageModule<T>(name: string): Promise<T> {
  return (await import(new URL(`../../src/screen/page/${name}.js`, import.meta.url).href)) as T;
}

/** The words of one language, with the names of the kinds as the page gets them from the terminal. */
export async function pageWords<T>(name: string): Promise<T> {
  const { words } = await pageModule<{ words: { readonly lang: string } }>(name);
  const { labelIn } = await pageModule<{ labelIn: (words: object, label: object) => unknown }>('label');
  return { kinds: labelIn(words, shownNames()), ...words } as T;
}

/** The modules of the words, one a language of the page. */
export const pageLanguages = ['words-en', 'words-zh-hant', 'words-zh-hans', 'words-pt'] as const;
