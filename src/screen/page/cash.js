import { button, element, icon } from './element.js';
import { decimalsOf, grouped, majorOf, minorOf, roundAmounts, typed } from './money.js';
/** @import { Child, View, Words } from './types.ts' */

/** The text that the cashier has typed; kept when the language changes. */
let text = '';

export function clearCash() {
  text = '';
}

const digits = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '00', '0'];

/**
 * The cash panel: cash received, the change, and a keypad.
 * @type {(view: View, words: Words, onTender: (amount: string) => void) => HTMLElement}
 */
export function cash({ amount = '0', currency = '' }, words, onTender) {
  const decimals = decimalsOf(amount);
  const due = minorOf(amount, decimals);
  const received = element('output', { id: 'tendered' });
  const rest = element('output', { id: 'change' });
  const restName = element('span');
  const ok = button(
    { id: 'tender', class: 'primary', 'data-action': 'tender' },
    () => onTender(majorOf(minorOf(text, decimals), decimals)),
    words.buttons.tender,
  );

  function show() {
    const minor = minorOf(text, decimals);
    const enough = text !== '' && minor >= due;
    restName.textContent = enough ? words.sums.change : words.sums.due;
    set(received, grouped(text || '0'));
    set(rest, grouped(majorOf(enough ? minor - due : due - minor, decimals)));
    rest.dataset.enough = String(enough);
    ok.disabled = !enough;
  }

  /** @type {(output: HTMLElement, major: string) => void} */
  function set(output, major) {
    const text = `${currency} ${major}`.trim();
    output.textContent = text;
    output.style.setProperty('--characters', String(text.length));
  }

  /** @type {(name: string, ...face: Child[]) => HTMLButtonElement} */
  function key(name, ...face) {
    const attributes = { class: 'key', 'data-key': name };
    return button(attributes, () => type(typed(text, name, decimals)), ...face);
  }

  /** @type {(next: string) => void} */
  function type(next) {
    text = next;
    show();
  }

  /** @type {(major: string, face: string, name: string) => HTMLButtonElement} */
  const quick = (major, face, name) =>
    button({ class: 'quick', 'data-quick': name }, () => type(major), element('span', {}, face));
  const erase = key('erase', icon('erase'));
  erase.setAttribute('aria-label', words.buttons.erase);

  const made = element(
    'div',
    { id: 'cash' },
    element(
      'div',
      { id: 'sides' },
      element('p', {}, element('span', {}, words.sums.tendered), received),
      element('p', {}, restName, rest),
    ),
    element(
      'div',
      { id: 'quick' },
      quick(amount, words.buttons.exact, 'exact'),
      ...roundAmounts(amount).map((major) => quick(major, grouped(major), major)),
    ),
    element(
      'div',
      { id: 'keypad' },
      ...digits.map((name) => key(name, name)),
      ...(decimals === 0 ? [] : [key('.', '.')]),
      erase,
      ok,
    ),
  );
  show();
  return made;
}
