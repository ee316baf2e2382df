import { element } from './element.js';
import { grouped } from './money.js';

/** page.css fits the largest possible amount into one line, by the number of its characters. */
function fit(shown, text) {
  shown.textContent = text;
  shown.style.setProperty('--characters', String(Math.max(1, text.length)));
}

export function drawPrice({ amount = '', currency = '' }) {
  document.getElementById('currency').textContent = currency;
  fit(document.getElementById('amount'), grouped(amount));
}

/** The tip, right at the total of which it is a part. */
export function drawTip({ tip, currency = '' }, words) {
  const sum = element('b', { id: 'sum-tip' }, `${currency} ${grouped(tip ?? '')}`.trim());
  const shown = tip === undefined ? [] : [`${words.sums.tip} `, sum];
  document.getElementById('included').replaceChildren(...shown);
}

/** The sums below: cash tendered, change, cashback, and the balance of an Octopus card. */
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
