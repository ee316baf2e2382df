// The question for a tip. Every amount is the terminal's: the page names one that it was given, or asks for one more.
import { button, element, icon } from './element.js';
import { keypad } from './keypad.js';
import { decimalsOf, grouped, majorOf, minorOf, typed } from './money.js';

/** What the customer looks at: the keypad, the offers, or what the view says. */
let shown = 'view';
/** What the customer has typed; kept when the page is drawn anew. */
let entry = { text: '' };

export function isTypingTip() {
  return shown === 'keypad';
}

export function showTip(part) {
  shown = part;
  entry = { text: '' };
}

/** What is offered; or what the customer has typed, to be confirmed; or the keypad. `onShow` opens another part. */
export function tip(view, words, onAction, onShow) {
  if (shown === 'keypad') return pad(view, words, onAction);
  if (shown === 'view' && view.ownTip !== undefined) return confirmation(view, words, onAction, onShow);
  const { tips = [], ownTipMost, amount = '0' } = view;
  const choose = (chosen) => onAction({ kind: 'tip', amount: chosen });
  const none = majorOf(0n, decimalsOf(amount));
  return element(
    'div',
    { id: 'tips' },
    ...tips.map((offer) => offered(offer, words, () => choose(offer.tip))),
    ...(ownTipMost === undefined
      ? []
      : [plain({ 'data-action': 'other-tip' }, words.buttons.otherTip, () => onShow('keypad'))]),
    plain({ 'data-action': 'tip', 'data-tip': none }, words.buttons.noTip, () => choose(none)),
  );
}

function offered({ tip: amount, total, percent }, words, onPress) {
  const sum = element('b', {}, grouped(amount));
  sum.style.setProperty('--characters', String(grouped(amount).length));
  const face = [
    ...(percent === undefined ? [] : [element('span', {}, `${percent} %`)]),
    sum,
    element('small', {}, `${words.sums.total} ${grouped(total)}`),
  ];
  return button({ 'data-action': 'tip', 'data-tip': amount }, onPress, ...face);
}

function plain(attributes, label, onPress) {
  return button({ class: 'plain', ...attributes }, onPress, element('span', {}, label));
}

function confirmation({ ownTip, currency = '' }, words, onAction, onShow) {
  const { tip: amount, total } = ownTip;
  const row = (name, value) => {
    const face = element('output', { id: `own-${name}` }, `${currency} ${grouped(value)}`.trim());
    face.style.setProperty('--characters', String(face.textContent.length));
    return element('p', {}, element('span', {}, words.sums[name]), face);
  };
  return element(
    'div',
    { id: 'own-tip' },
    element('div', { id: 'sides' }, row('ownTip', amount), row('total', total)),
    element(
      'div',
      { class: 'tiles' },
      button(
        { class: 'tile', 'data-action': 'change-tip' },
        () => onShow('offers'),
        icon('back'),
        words.buttons.changeTip,
      ),
      button(
        { class: 'tile', 'data-action': 'tip', 'data-tip': amount },
        () => onAction({ kind: 'tip', amount }),
        icon('yes'),
        words.buttons.confirmTip,
      ),
    ),
  );
}

function pad({ amount = '0', currency = '', ownTipMost = '0' }, words, onAction) {
  const decimals = decimalsOf(amount);
  const isDone = (text) => {
    const minor = minorOf(text, decimals);
    return minor > 0n && minor <= minorOf(ownTipMost, decimals);
  };
  return keypad({
    label: words.tipAtMost.replace('{most}', () => grouped(ownTipMost)),
    more: decimals === 0 ? [] : ['.'],
    words,
    face: (text) => `${currency} ${grouped(text || '0')}`.trim(),
    next: (text, key) => typed(text, key, decimals),
    isDone,
    onDone: (text) => onAction({ kind: 'ownTip', amount: majorOf(minorOf(text, decimals), decimals) }),
    entry,
  });
}
