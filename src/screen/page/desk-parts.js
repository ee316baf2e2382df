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

/** A list of transactions to choose from, a few at a time. `described`: the text of a row besides its price. */
export function transactionList(open, words, actions, { title, nothing, action, described, onChoose }) {
  const { transactions, first } = open;
  const foot = [back(words, actions)];
  if (transactions.length === 0) return { title, hint: nothing, foot };
  if (transactions.length > rowsShown) {
    const next = first + rowsShown < transactions.length ? first + rowsShown : 0;
    foot.push(footButton('more', 'others', words.desk.more, () => actions.more(open, next)));
  }
  const rows = transactions
    .slice(first, first + rowsShown)
    .map((each) =>
      button(
        { class: 'row', 'data-action': action, 'data-transaction': each.id },
        () => onChoose(each),
        element('span', {}, described(each)),
        element('strong', {}, priceOf(each)),
      ),
    );
  return { title, hint: words.desk.which, panel: element('div', { id: 'rows' }, ...rows), foot };
}

/** Empty for a transaction that can't be read. */
export function priceOf({ amount, currency }) {
  return amount === '' ? '' : `${currency} ${grouped(amount)}`;
}
