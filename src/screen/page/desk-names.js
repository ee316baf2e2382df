// The names of payment methods as on the receipt. The terminal sends them with the login.
import { labelIn } from './label.js';

let names = {};

export function nameMethods(told = {}) {
  names = told;
}

/** The name of a brand, as on the receipt. */
export function nameOfMethod(method, words, label) {
  const known = labelIn(words, names) ?? {};
  return labelIn(words, label) ?? (Object.hasOwn(known, method) ? known[method] : method);
}

/** 'VISA •0119'; empty for a transaction without a method. */
export function methodOf({ method, label, lastDigits }, words) {
  return [nameOfMethod(method, words, label), lastDigits === '' ? '' : `•${lastDigits}`].filter(Boolean).join(' ');
}

/** A sale has no name beside the amount of a payment, but one in a list. */
export function kindOf({ kind }, words) {
  return kind === 'SALE' ? words.desk.sale : (words.kinds[kind] ?? '');
}

export function stateOf({ state }, words) {
  return words.desk[`state-${state}`] ?? '';
}

/** The terminal's own names are no points of sale. */
export function posOf({ posId }, words) {
  return { OPERATOR: words.desk.operator, poid: words.desk.terminal }[posId] ?? shortened(posId);
}

/** Who opened the drawer: 'POS-1 · Ann'. */
export function openedBy({ posId, cashierId }, words) {
  return [posOf({ posId }, words), shortened(cashierId)].filter(Boolean).join(' · ');
}

/** A name of a till or a person may have 64 characters; so many tell it from the others. */
const nameMost = 16;

export function shortened(name = '') {
  return name.length > nameMost ? `${name.slice(0, nameMost - 1)}…` : name;
}

/** So many names fit above a list. */
const openersShown = 2;

/** Who has opened the drawer today without a sale; empty if nobody has. */
export function openingsText({ drawerOpenings = [] }, words) {
  if (drawerOpenings.length === 0) return '';
  const sum = drawerOpenings.reduce((all, { count }) => all + count, 0);
  const all = [...new Set(drawerOpenings.map((each) => posOf(each, words)))];
  const names = [...all.slice(0, openersShown), ...(all.length > openersShown ? ['…'] : [])];
  return `${words.desk.drawerOpenings}: ${sum} (${names.join(', ')})`;
}
