// The message in the middle: drawing, title and hint. Pure: takes a view and words, returns texts.
import { labelIn, nameOf, wordOf } from './label.js';
/** @import { Message, PageStyle, ScreenHint, ReportedOutcome, View, Words } from './types.ts' */

/** @type {Partial<Record<ScreenHint, string>>} */
const drawings = {
  insertCard: 'insert',
  leaveCardIn: 'insert',
  swipeCard: 'swipe',
  removeCard: 'remove',
  confirmOnPhone: 'phone',
  sameOctopusCard: 'alert',
};

/**
 * Hints that the customer must not miss: collecting failed and continues.
 * @type {ReadonlySet<ScreenHint | undefined>}
 */
const notices = new Set([
  'tipNotPossible',
  'optionNotPossible',
  'oneCardOnly',
  'holdCard',
  'presentAgain',
  'sameCard',
  'insertCard',
  'swipeCard',
  'leaveCardIn',
  'removeCard',
  'wrongPin',
  'notAWalletCode',
  'readerLost',
  'confirmOnPhone',
  'takeCash',
]);

/**
 * `tone`: notice is shown in a frame, alert over the whole page. `lines`: the lines of an outcome. `readerPosition`:
 * where the customer finds the reader.
 * @type {(view: View, words: Words, readerPosition?: PageStyle['readerPosition']) => Message}
 */
export function message(view, words, readerPosition) {
  const { scene } = view;
  if (view.reported !== undefined) return outcome(view, view.reported, words);
  const hint = view.hint ?? (scene === 'presentCode' && view.modules === undefined ? 'codeComing' : undefined);
  const said = hintText(hint, words);
  const drawing = (hint && drawings[hint]) ?? drawingOf(view);
  if (hint === 'sameOctopusCard') return { title: words.doNotLeave, hint: said, drawing, tone: 'alert' };
  if (said !== '') {
    return { title: titleOf(view, words), hint: said, drawing, tone: notices.has(hint) ? 'notice' : 'plain' };
  }
  return { title: titleOf(view, words), hint: moreOf(view, words, readerPosition), drawing, tone: 'plain' };
}

/**
 * The event, the state of the money, the next step. A card in the slot is mentioned in a frame, and so is cash to take.
 * @type {(view: View, reported: ReportedOutcome, words: Words) => Message}
 */
function outcome(view, reported, words) {
  const { scene, wallet, cardInside, labels } = view;
  const { happened, money, next } = words.outcome;
  const paidWith = scene === 'approved' && wallet !== undefined;
  const lines = {
    happened: paidWith
      ? words.paidWith.replace('{wallet}', () => nameOf(wallet, words.wallets, words, labels))
      : (wordOf(happened, reported.happened) ?? ''),
    money: money[reported.money] ?? '',
    next: (next[reported.next] ?? '').replace('{ways}', () => listed(view, words)),
  };
  const hint = hintText(cardInside ? 'removeCard' : view.hint, words);
  const drawing = (view.hint && drawings[view.hint]) ?? scene;
  return { title: words.titles[scene], lines, hint, drawing, tone: hint === '' ? 'plain' : 'notice' };
}

/**
 * Each way once: a code is the same way, whether the customer or the terminal shows it.
 * @type {(view: View, words: Words) => string}
 */
function listed({ ways = [], labels }, words) {
  const names = ways.map((mode) => nameOf(mode, words.outcome.ways, words, labels));
  return new Intl.ListFormat(words.lang, { type: 'conjunction' }).format(new Set(names));
}

/**
 * The text without a hint: another way to pay, or where to hold the card.
 * @type {(view: View, words: Words, readerPosition: PageStyle['readerPosition']) => string}
 */
function moreOf(view, words, readerPosition) {
  const isArmed = cardWords(view, words) !== undefined;
  if (view.scene === 'chooseMethod' && isArmed) return words.orAnotherWay;
  return view.scene === 'presentCard' && isArmed ? (wordOf(words.readerAt, readerPosition) ?? '') : '';
}

/** @type {(hint: ScreenHint | undefined, words: Words) => string} */
function hintText(hint, words) {
  return wordOf(words.hints, hint) ?? '';
}

/** @type {(view: View, words: Words) => string} */
function titleOf(view, words) {
  const { scene, wallet, wallets = [], hint, mode } = view;
  if (hint === 'insertCard') return words.card.chip;
  if (hint === 'swipeCard') return words.card.magstripe;
  if (scene === 'presentCard' && mode === 'EPS') return words.card.eps;
  if (scene === 'presentCard' || scene === 'chooseMethod') return cardWords(view, words) ?? words.titles[scene];
  if (scene === 'chooseOption') return labelIn(words, view.question?.title) ?? words.titles.chooseOption;
  if (scene === 'presentCode') {
    const scheme = wallet ?? wallets[0];
    if (scheme === undefined) return words.titles.presentCode;
    return words.scanWith.replace('{wallet}', () => nameOf(scheme, words.wallets, words, view.labels));
  }
  return words.titles[scene] ?? words.titles.offline;
}

const cardInterfaces = /** @type {const} */ (['contactless', 'chip', 'magstripe']);

/**
 * The instruction for the card, if the terminal waits for one.
 * @type {(view: View, words: Words) => string | undefined}
 */
function cardWords({ interfaces = [] }, words) {
  const ways = cardInterfaces.filter((way) => interfaces.includes(way));
  return wordOf(words.card, ways.join('+'));
}

/** @type {(view: View) => string} */
function drawingOf({ scene, interfaces = [] }) {
  switch (scene) {
    case 'chooseMethod':
    case 'presentCard':
      if (interfaces.length === 0) return scene === 'presentCard' ? 'tap' : 'none';
      if (interfaces.includes('contactless')) return 'tap';
      return interfaces.includes('chip') ? 'insert' : 'swipe';
    case 'tapOctopus':
      return 'tap';
    case 'chooseTip':
    case 'chooseOption':
    case 'sign':
    case 'checkSignature':
    case 'presentCode':
    case 'tenderCash':
      return 'none';
    default:
      return scene;
  }
}
