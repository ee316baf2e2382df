// The question for a tip. Every amount is the terminal's: the page names one that it was given, or asks for one more.
import { button, element, icon } from './element.js';
import { keypad } from './keypad.js';
import { decimalsOf, grouped, majorOf, minorOf, typed } from './money.js';
/** @import { Attributes, OnAction, ShownTip, TipPart, View, Words } from './types.ts' */

/**
 * The visible part: the keypad, the offers, or as the view decides.
 * @type {TipPart}
 */
let shown = 'view';
/** The typed text; kept when the page is redrawn. */
let entry = { text: '' };

export function isTypingTip() {
  return shown === 'keypad';
}

/** @type {(part: TipPart) => void} */
export function showTip(part) {
  shown = part;
  entry = { text: '' };
}

/**
 * The offers; or the typed amount, to be confirmed; or the keypad. `onShow` opens another part.
 * @type {(view: View, words: Words, onAction: OnAction, onShow: (part: TipPart) => void) => HTMLElement}
 */
export function tip(view, words, onAction, onShow) {
  if (shown === 'keypad') return pad(view, words, onAction);
  if (shown === 'view' && view.ownTip !== undefined) return confirmation(view, view.ownTip, words, onAction, onShow);
  const { tips = [], ownTipMost, amount = '0' } = view;
  /** @type {(chosen: string) => void} */
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

/** @type {(offer: ShownTip, words: Words, onPress: () => void) => HTMLElement} */
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

/** @type {(attributes: Attributes, label: string, onPress: () => void) => HTMLElement} */
function plain(attributes, label, onPress) {
  return button({ class: 'plain', ...attributes }, onPress, element('span', {}, label));
}

/** @type {(view: View, ownTip: ShownTip, words: Words, onAction: OnAction, onShow: (part: TipPart) => void) => HTMLElement} */
function confirmation({ currency = '' }, { tip: amount, total }, words, onAction, onShow) {
  /** @type {(name: 'ownTip' | 'total', value: string) => HTMLElement} */
  const row = (name, value) => {
    const text = `${currency} ${grouped(value)}`.trim();
    const face = element('output', { id: `own-${name}` }, text);
    face.style.setProperty('--characters', String(text.length));
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

/** @type {(view: View, words: Words, onAction: OnAction) => HTMLElement} */
function pad({ amount = '0', currency = '', ownTipMost = '0' }, words, onAction) {
  const decimals = decimalsOf(amount);
  /** @type {(text: string) => boolean} */
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
