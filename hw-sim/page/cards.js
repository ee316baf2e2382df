/**
 * How the cards of fixtures/cards look, by name, and their interfaces: the control API only gives names. A card that
 * is not here is drawn plainly with all interfaces; the reader refuses the wrong ones.
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

/** How a card is presented: interface → what the customer does, and the call. */
export const presentations = {
  contactless: { verb: 'Tap', path: '/api/reader/tap' },
  chip: { verb: 'Insert', path: '/api/reader/insert' },
  stripe: { verb: 'Swipe', path: '/api/reader/swipe' },
};

export function cardNamed(name) {
  return { title: name, lastFour: '', interfaces: Object.keys(presentations), testPin: '', ...known[name] };
}

/** Of two names: those that most people have come first. */
export function byUse(one, other) {
  const place = (name) => (Object.hasOwn(known, name) ? Object.keys(known).indexOf(name) : Infinity);
  return place(one) - place(other);
}

/** Hint for the PIN pad: every card with a PIN, and the PIN. */
export function testPins() {
  return Object.values(known).filter(({ testPin }) => testPin !== undefined);
}
