// The message in the middle: drawing, title and hint. Pure: takes a view and words, returns texts.
import { nameOf } from './label.js';

const drawings = {
  insertCard: 'insert',
  leaveCardIn: 'insert',
  swipeCard: 'swipe',
  removeCard: 'remove',
  confirmOnPhone: 'phone',
  sameOctopusCard: 'alert',
};

/** Hints that the customer must not miss: collecting failed and goes on. */
const notices = new Set([
  'tipNotPossible',
  'oneCardOnly',
  'holdCard',
  'presentAgain',
  'insertCard',
  'swipeCard',
  'leaveCardIn',
  'removeCard',
  'wrongPin',
  'notAWalletCode',
  'confirmOnPhone',
  'askStaff',
  'takeCash',
]);

/** `tone`: notice is shown in a frame, alert over the whole page. */
export function message(view, words) {
  const { scene } = view;
  const hint = view.hint ?? (scene === 'presentCode' && view.modules === undefined ? 'codeComing' : undefined);
  const said = hintText(view, hint, words);
  const drawing = drawings[hint] ?? drawingOf(view);
  if (hint === 'sameOctopusCard') return { title: words.doNotLeave, hint: said, drawing, tone: 'alert' };
  if (said !== '') {
    return { title: titleOf(view, words), hint: said, drawing, tone: notices.has(hint) ? 'notice' : 'plain' };
  }
  const more = scene === 'chooseMethod' && cardWords(view, words) !== undefined ? words.orAnotherWay : '';
  return { title: titleOf(view, words), hint: more, drawing, tone: 'plain' };
}

/** A card in the slot is always mentioned, together with any other hint. */
function hintText({ scene, wallet, cardInside, labels }, hint, words) {
  const said = Object.hasOwn(words.hints, hint ?? '') ? words.hints[hint] : '';
  if (said === '' && scene === 'approved' && wallet !== undefined) {
    return words.paidWith.replace('{wallet}', () => nameOf(wallet, words.wallets, words, labels));
  }
  if (!cardInside) return said;
  return said === '' ? words.hints.removeCard : words.cardInside.replace('{hint}', said);
}

function titleOf(view, words) {
  const { scene, wallet, wallets = [], hint, mode } = view;
  if (hint === 'insertCard') return words.card.chip;
  if (hint === 'swipeCard') return words.card.magstripe;
  if (scene === 'presentCard' && mode === 'EPS') return words.card.eps;
  if (scene === 'presentCard' || scene === 'chooseMethod') return cardWords(view, words) ?? words.titles[scene];
  if (scene === 'presentCode') {
    const scheme = wallet ?? wallets[0];
    if (scheme === undefined) return words.titles.presentCode;
    return words.scanWith.replace('{wallet}', () => nameOf(scheme, words.wallets, words, view.labels));
  }
  return words.titles[scene] ?? words.titles.offline;
}

/** What to do with the card, if the terminal waits for one. */
function cardWords({ interfaces = [] }, words) {
  const ways = ['contactless', 'chip', 'magstripe'].filter((way) => interfaces.includes(way));
  return words.card[ways.join('+')];
}

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
    case 'presentCode':
    case 'tenderCash':
      return 'none';
    default:
      return scene;
  }
}
