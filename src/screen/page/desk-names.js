// The names of payment methods as on the receipt. The terminal sends them with the login.
import { labelIn } from './label.js';

let names = {};

export function nameMethods(told = {}) {
  names = told;
}

/** 'Visa •0119'; empty for a transaction without a method. */
export function methodOf({ method, label, lastDigits }, words) {
  const known = labelIn(words, names) ?? {};
  const name = labelIn(words, label) ?? (Object.hasOwn(known, method) ? known[method] : method);
  return [name, lastDigits === '' ? '' : `•${lastDigits}`].filter(Boolean).join(' ');
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
  return { OPERATOR: words.desk.operator, poid: words.desk.terminal }[posId] ?? posId;
}
