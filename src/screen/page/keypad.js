import { button, element, icon } from './element.js';
/** @import { Child, KeypadOptions } from './types.ts' */

const digits = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'];

/**
 * A text that is typed, and its keypad. `face` shows the text, `next` returns the text after a key, `isDone` returns
 * whether it is complete, and `onDone` receives it. The text is kept in `entry`, from which a redrawn keypad reads it.
 * @type {(options: KeypadOptions) => HTMLElement}
 */
export function keypad({ label, more = [], words, face, next, isDone, onDone, entry }) {
  const shown = element('output', { id: 'typed' });
  const done = button({ id: 'tender', 'data-action': 'ok' }, () => onDone(entry.text), words.buttons.tender);
  /** @type {(key: string) => void} */
  const type = (key) => {
    entry.text = next(entry.text, key);
    show();
  };
  const show = () => {
    const { text } = entry;
    const said = face(text);
    shown.textContent = said;
    shown.style.setProperty('--characters', String(Math.max(1, said.length)));
    done.disabled = !isDone(text);
  };
  /** @type {(name: string, ...drawn: Child[]) => HTMLButtonElement} */
  const key = (name, ...drawn) => button({ class: 'key', 'data-key': name }, () => type(name), ...drawn);
  const erase = key('erase', icon('erase'));
  erase.setAttribute('aria-label', words.buttons.erase);
  show();
  return element(
    'div',
    { id: 'entry' },
    element('p', {}, element('span', {}, label), shown),
    element('div', { id: 'keypad' }, ...[...digits, ...more].map((name) => key(name, name)), erase, done),
  );
}
