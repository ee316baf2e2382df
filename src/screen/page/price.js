import { element, part } from './element.js';
import { grouped } from './money.js';
/** @import { View, Words } from './types.ts' */

/**
 * page.css fits the largest possible amount into one line, by the number of its characters.
 * @type {(shown: HTMLElement, text: string) => void}
 */
function fit(shown, text) {
  shown.textContent = text;
  shown.style.setProperty('--characters', String(Math.max(1, text.length)));
}

/** @type {(view: View) => void} */
export function drawPrice({ amount = '', currency = '' }) {
  part('currency').textContent = currency;
  fit(part('amount'), grouped(amount));
}

/**
 * The tip, right at the total of which it is a part.
 * @type {(view: View, words: Words) => void}
 */
export function drawTip({ tip, currency = '' }, words) {
  const sum = element('b', { id: 'sum-tip' }, `${currency} ${grouped(tip ?? '')}`.trim());
  const shown = tip === undefined ? [] : [`${words.sums.tip} `, sum];
  part('included').replaceChildren(...shown);
}

const sums = /** @type {const} */ (['cashback', 'tendered', 'change', 'balance']);

/**
 * The sums below: cash tendered, change, cashback, and the balance of an Octopus card.
 * @type {(view: View, words: Words) => void}
 */
export function drawSums(view, words) {
  const rows = sums.flatMap((name) => {
    const amount = view[name];
    if (amount === undefined) return [];
    const value = element('dd', { id: `sum-${name}` });
    fit(value, `${view.currency ?? ''} ${grouped(amount)}`.trim());
    return [element('div', { 'data-sum': name }, element('dt', {}, words.sums[name]), value)];
  });
  part('sums').replaceChildren(...rows);
}
