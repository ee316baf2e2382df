import { style } from './style.js';
import { words as englishWords } from './words-en.js';
import { words as portuguese } from './words-pt.js';
import { words as simplified } from './words-zh-hans.js';
import { words as traditional } from './words-zh-hant.js';
/** @import { KindNames, Words } from './types.ts' */

/**
 * The names of the kinds are in the terminal's table of kinds, in the languages of its receipts.
 * @type {KindNames}
 */
const kindNames = await (await fetch('kind-names.json')).json();

/** @type {Words} */
const english = { ...englishWords, kinds: kindNames.en };
/** @type {readonly Words[]} */
const known = [english, { ...traditional, kinds: kindNames['zh-Hant'] }, simplified, portuguese];
const languages = style.languages.flatMap((name) => known.filter(({ lang }) => lang.startsWith(name)));
const key = 'language';

/**
 * A browser that stores nothing (a kiosk's private mode) still changes the language, until it is restarted.
 * @type {Words}
 */
let chosen = languages.find(({ lang }) => lang === remembered()) ?? languages[0] ?? english;

function remembered() {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @type {() => Words} */
export function words() {
  return chosen;
}

/**
 * The language that the button offers; undefined where there is no other.
 * @type {() => Words | undefined}
 */
export function otherWords() {
  return languages.length > 1 ? languages[(languages.indexOf(chosen) + 1) % languages.length] : undefined;
}

export function changeLanguage() {
  chosen = otherWords() ?? chosen;
  try {
    localStorage.setItem(key, chosen.lang);
  } catch {
    // The choice is not stored.
  }
}
