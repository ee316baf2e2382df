/** @import { CardInterface } from './types.ts' */

/**
 * How the cards of fixtures/cards look, by name, and their interfaces: the control API only gives names. A card that
 * is not here is drawn plainly with all interfaces; the reader refuses the wrong ones.
 * @type {Readonly<Record<string, { title: string, lastFour: string, interfaces?: readonly CardInterface[], testPin?: string }>>}
 */
const known = {
  visa: { title: 'Visa', lastFour: '0119' },
  mastercard: { title: 'Mastercard', lastFour: '4444' },
  amex: { title: 'Amex', lastFour: '0005' },
  jcb: { title: 'JCB', lastFour: '0000' },
  unionpay: { title: 'UnionPay', lastFour: '0005' },
  'visa-debit': { title: 'Debit Visa', lastFour: '1111', testPin: '2468' },
  'mastercard-pin': { title: 'Debit Mastercard', lastFour: '5100' },
  eps: { title: 'EPS', lastFour: '8453', interfaces: ['stripe'], testPin: '1357' },
};

/** @type {readonly CardInterface[]} */
const allInterfaces = ['contactless', 'chip', 'stripe'];

/**
 * How a card is presented: interface → what the customer does, and the call.
 * @type {Readonly<Record<CardInterface, { verb: string, path: '/api/reader/tap' | '/api/reader/insert' | '/api/reader/swipe' }>>}
 */
export const presentations = {
  contactless: { verb: 'Tap', path: '/api/reader/tap' },
  chip: { verb: 'Insert', path: '/api/reader/insert' },
  stripe: { verb: 'Swipe', path: '/api/reader/swipe' },
};

/** @type {(name: string) => { title: string, lastFour: string, interfaces: readonly CardInterface[], testPin: string }} */
export function cardNamed(name) {
  return { title: name, lastFour: '', interfaces: allInterfaces, testPin: '', ...known[name] };
}

/**
 * Of two names: those that most people have come first.
 * @type {(one: string, other: string) => number}
 */
export function byUse(one, other) {
  /** @type {(name: string) => number} */
  const place = (name) => (Object.hasOwn(known, name) ? Object.keys(known).indexOf(name) : Infinity);
  return place(one) - place(other);
}

/** Hint for the PIN pad: every card with a PIN, and the PIN. */
export function testPins() {
  return Object.values(known).filter(({ testPin }) => testPin !== undefined);
}
