// Parts of the operator's menu that several panels share.
import { button, element, icon } from './element.js';
import { grouped } from './money.js';
/** @import { Actions } from './menu-types.ts' */
/** @import { Fact, List, ListOptions, Panel, Priced, Words } from './types.ts' */

const rowsShown = 5;

/**
 * `action`: the button's name, if it differs from its drawing's.
 * @type {(drawing: string, label: string, onPress: () => void, action?: string) => HTMLButtonElement}
 */
export function tile(drawing, label, onPress, action = drawing) {
  return button({ class: 'tile', 'data-action': action }, onPress, icon(drawing), element('span', {}, label));
}

/** @type {(action: string, drawing: string, label: string, onPress: () => void) => HTMLButtonElement} */
export function footButton(action, drawing, label, onPress) {
  return button({ 'data-action': action }, onPress, icon(drawing), element('span', {}, label));
}

/** @type {(words: Words, actions: Actions) => HTMLButtonElement} */
export function leave(words, actions) {
  return footButton('leave', 'cancel', words.menu.leave, actions.leave);
}

/** @type {(words: Words, actions: Actions, onPress?: () => void) => HTMLButtonElement} */
export function back(words, actions, onPress = actions.menu) {
  return footButton('back', 'back', words.buttons.back, onPress);
}

/**
 * A list to choose from, a few at a time. `row`: the texts of a row besides its price. `fetchMore`: absent where the
 * terminal has no more.
 * @template {{ readonly id: string }} Row
 * @param {List<Row>} open
 * @param {Words} words
 * @param {Actions} actions
 * @param {ListOptions<Row>} options
 * @returns {Omit<Panel, 'tone'>}
 */
export function listPanel(open, words, actions, { title, nothing, action, row, price, onChoose, onBack, fetchMore }) {
  const { transactions, first } = open;
  const foot = [back(words, actions, onBack)];
  if (transactions.length === 0) {
    // A long journal is read in parts, and the first may have no match.
    if (fetchMore) foot.push(footButton('more', 'search', words.menu.goOn, fetchMore));
    return { title, hint: nothing, foot };
  }
  if (transactions.length > rowsShown || fetchMore) {
    const following = first + rowsShown < transactions.length ? first + rowsShown : undefined;
    const onMore = () => (following === undefined && fetchMore ? fetchMore() : actions.more(open, following ?? 0));
    foot.push(footButton('more', 'others', words.menu.more, onMore));
  }
  const rows = transactions.slice(first, first + rowsShown).map((each) => {
    const texts = row(each).map((text) => element('span', {}, text));
    return button(
      { class: 'row', 'data-action': action, 'data-transaction': each.id },
      () => onChoose(each),
      element('span', { class: 'texts' }, ...texts),
      element('strong', {}, price(each)),
    );
  });
  return { title, hint: words.menu.which, panel: element('div', { id: 'rows' }, ...rows), foot };
}

/** @type {(...fact: Fact) => Fact} */
export function fact(...row) {
  return row;
}

/**
 * Names and values.
 * @type {(rows: readonly Fact[]) => HTMLElement}
 */
export function facts(rows) {
  const items = rows.map(([label, value, name = '']) =>
    element('div', name === '' ? {} : { 'data-fact': name }, element('dt', {}, label), element('dd', {}, value)),
  );
  return element('dl', { id: 'facts' }, ...items);
}

/**
 * Empty for a transaction that can't be read.
 * @type {(of: Priced) => string}
 */
export function priceOf({ amount, currency }) {
  return amount === '' ? '' : `${currency} ${grouped(amount)}`;
}
