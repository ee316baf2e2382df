// A till's content on the idle screen. Each text is set as text, in a frame that the terminal's own prompts never have.
import { element, part } from './element.js';
import { grouped } from './money.js';
/** @import { TillCart, TillView, Words } from './types.ts' */

/**
 * `till`: its owner, with the lines of its text or its cart.
 * @type {(till: TillView, words: Words) => HTMLElement}
 */
export function tillPanel({ posId, text = [], cart }, words) {
  const heading = element('p', { id: 'till-from' }, `${words.till.from}: ${posId}`);
  const rows = cart ? cart.lines.map(cartRow) : text.map((line) => element('li', {}, element('span', {}, line)));
  const list = element('ul', { id: 'till-lines' }, ...rows);
  const more = element('p', { id: 'till-more', 'data-words': words.till.more });
  return element('section', { id: 'till' }, heading, more, list, ...(cart ? [totalRow(cart, words)] : []));
}

/** @type {(line: TillCart['lines'][number]) => HTMLElement} */
function cartRow({ name, quantity, amount }) {
  const shown = quantity === undefined ? name : `${quantity} × ${name}`;
  return element('li', {}, element('span', {}, shown), element('span', { class: 'amount' }, grouped(amount)));
}

/** @type {(cart: TillCart, words: Words) => HTMLElement} */
function totalRow({ currency, total }, words) {
  const label = element('span', {}, words.till.total);
  return element(
    'p',
    { id: 'till-total' },
    label,
    element('span', { class: 'amount' }, `${currency} ${grouped(total)}`),
  );
}

/** The newest lines are at the end. If the screen is full, the first ones are dropped and counted. */
export function fitTill() {
  const list = document.getElementById('till-lines');
  if (!list) return;
  const more = part('till-more');
  const rows = [...list.children].filter((row) => row instanceof HTMLElement);
  for (const row of rows) row.hidden = false;
  more.textContent = '';
  for (const [hidden, row] of rows.entries()) {
    if (list.scrollHeight <= list.clientHeight || hidden === rows.length - 1) break;
    row.hidden = true;
    more.textContent = (more.dataset.words ?? '').replace('{count}', String(hidden + 1));
  }
}
