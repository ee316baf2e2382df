// Parts of the operator's menu that several panels share.
import { button, element, icon } from './element.js';
import { grouped } from './money.js';

const rowsShown = 5;

/** `action`: the button's name, if it differs from its drawing's. */
export function tile(drawing, label, onPress, action = drawing) {
  return button({ class: 'tile', 'data-action': action }, onPress, icon(drawing), element('span', {}, label));
}

export function footButton(action, drawing, label, onPress) {
  return button({ 'data-action': action }, onPress, icon(drawing), element('span', {}, label));
}

export function leave(words, actions) {
  return footButton('leave', 'cancel', words.desk.leave, actions.leave);
}

export function back(words, actions, onPress = actions.menu) {
  return footButton('back', 'back', words.buttons.back, onPress);
}

/**
 * A list to choose from, a few at a time. `row`: the texts of a row besides its price. `open.next`: the terminal has
 * more.
 */
export function listPanel(open, words, actions, { title, nothing, action, row, price = priceOf, onChoose, onBack }) {
  const { transactions, first, next } = open;
  const foot = [back(words, actions, onBack)];
  if (transactions.length === 0) {
    // A long journal is read in parts, and the first may have nothing of it.
    if (next !== undefined) foot.push(footButton('more', 'search', words.desk.goOn, () => actions.fetchMore(open)));
    return { title, hint: nothing, foot };
  }
  if (transactions.length > rowsShown || next !== undefined) {
    const following = first + rowsShown < transactions.length ? first + rowsShown : undefined;
    const onMore = () =>
      following === undefined && next !== undefined ? actions.fetchMore(open) : actions.more(open, following ?? 0);
    foot.push(footButton('more', 'others', words.desk.more, onMore));
  }
  const rows = transactions.slice(first, first + rowsShown).map((each) => {
    const [said, ...below] = row(each).map((text) => element('span', {}, text));
    return button(
      { class: 'row', 'data-action': action, 'data-transaction': each.id },
      () => onChoose(each),
      element('span', { class: 'texts' }, said, ...below),
      element('strong', {}, price(each)),
    );
  });
  return { title, hint: words.desk.which, panel: element('div', { id: 'rows' }, ...rows), foot };
}

/** Names and values. */
export function facts(rows) {
  const items = rows.map(([label, value, name = '']) =>
    element('div', name === '' ? {} : { 'data-fact': name }, element('dt', {}, label), element('dd', {}, value)),
  );
  return element('dl', { id: 'facts' }, ...items);
}

/** Empty for a transaction that can't be read. */
export function priceOf({ amount, currency }) {
  return amount === '' ? '' : `${currency} ${grouped(amount)}`;
}
