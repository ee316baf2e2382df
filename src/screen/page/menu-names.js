// The names of payment methods as on the receipt. The terminal sends them with the login.
import { labelIn, wordOf } from './label.js';
import { grouped } from './money.js';
/** @import { Label, ListedDay, Labels as LoginNames, Named, Today, Words } from './types.ts' */

/** @type {LoginNames} */
let names = {};

/** @type {(given?: LoginNames) => void} */
export function nameMethods(given = {}) {
  names = given;
}

/**
 * The name of a brand, as on the receipt.
 * @type {(method: string, words: Words, label?: Label) => string}
 */
export function nameOfMethod(method, words, label) {
  const known = labelIn(words, names) ?? {};
  return labelIn(words, label) ?? wordOf(known, method) ?? method;
}

/**
 * 'VISA •0119'; empty for a transaction without a method.
 * @type {(of: Named, words: Words) => string}
 */
export function methodOf({ method, label, lastDigits }, words) {
  return [nameOfMethod(method, words, label), lastDigits === '' ? '' : `•${lastDigits}`].filter(Boolean).join(' ');
}

/**
 * A sale has a name in a list, but not beside the amount of a payment.
 * @type {(of: { readonly kind: string }, words: Words) => string}
 */
export function kindOf({ kind }, words) {
  return kind === 'SALE' ? words.menu.sale : (wordOf(words.kinds, kind) ?? '');
}

/** @type {(of: Pick<ListedDay, 'state'>, words: Words) => string} */
export function stateOf({ state }, words) {
  return words.menu[`state-${state}`] ?? '';
}

/**
 * In a list: with the final amount, or the amount refunded since.
 * @type {(listed: Pick<ListedDay, 'state' | 'refunded' | 'final'>, words: Words) => string}
 */
export function stateInList({ refunded, final, ...listed }, words) {
  const amount = refunded ?? final;
  return [stateOf(listed, words), amount === undefined ? '' : grouped(amount)].filter(Boolean).join('\u00a0');
}

/**
 * The terminal's own names are no points of sale.
 * @type {(of: { readonly posId?: string | undefined }, words: Words) => string}
 */
export function posOf({ posId }, words) {
  return wordOf({ OPERATOR: words.menu.operator, poid: words.menu.terminal }, posId) ?? shortened(posId);
}

/**
 * The user who opened the drawer: 'POS-1 · Ann'.
 * @type {(of: { readonly posId: string, readonly cashierId?: string }, words: Words) => string}
 */
export function openedBy({ posId, cashierId }, words) {
  return [posOf({ posId }, words), shortened(cashierId)].filter(Boolean).join(' · ');
}

/** @type {readonly { readonly id: string, readonly name: string }[]} */
let merchants = [];

/** @type {(given?: typeof merchants) => void} */
export function nameMerchants(given = []) {
  merchants = given;
}

/**
 * Empty unless the terminal has several merchants.
 * @type {(of: { readonly merchantId?: string | undefined }) => string}
 */
export function merchantOf({ merchantId = '' }) {
  return merchants.length === 0 ? '' : shortened(merchants.find(({ id }) => id === merchantId)?.name ?? merchantId);
}

/** A name of a till or a person may have 64 characters; this many distinguish it. */
const nameMost = 16;

/** @type {(name?: string) => string} */
export function shortened(name = '') {
  return name.length > nameMost ? `${name.slice(0, nameMost - 1)}…` : name;
}

/** Maximum number of names above a list. */
const openersShown = 2;

/**
 * The users who have opened the drawer today without a sale; empty if none.
 * @type {(day: Pick<Today, 'drawerOpenings'>, words: Words) => string}
 */
export function openingsText({ drawerOpenings }, words) {
  if (drawerOpenings.length === 0) return '';
  const sum = drawerOpenings.reduce((all, { count }) => all + count, 0);
  const all = [...new Set(drawerOpenings.map((each) => posOf(each, words)))];
  const names = [...all.slice(0, openersShown), ...(all.length > openersShown ? ['…'] : [])];
  return `${words.menu.drawerOpenings}: ${sum} (${names.join(', ')})`;
}
