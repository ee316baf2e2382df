import { element } from './element.js';
import { grouped } from './money.js';

/** page.css makes the largest amount that can be paid stand in one line, by the number of its characters. */
function fit(shown, text) {
  shown.textContent = text;
  shown.style.setProperty('--characters', String(Math.max(1, text.length)));
}

export function drawPrice({ amount = '', currency = '' }) {
  document.getElementById('currency').textContent = currency;
  fit(document.getElementById('amount'), grouped(amount));
}

/** What belongs to the price: cash given and given back, and what an Octopus still holds. */
export function drawSums(view, words) {
  const rows = ['cashback', 'tendered', 'change', 'balance'].flatMap((name) => {
    const amount = view[name];
    if (amount === undefined) return [];
    const value = element('dd', { id: `sum-${name}` });
    fit(value, `${view.currency ?? ''} ${grouped(amount)}`.trim());
    return [element('div', { 'data-sum': name }, element('dt', {}, words.sums[name]), value)];
  });
  document.getElementById('sums').replaceChildren(...rows);
}
