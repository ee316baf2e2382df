// The panels of the operator's menu. Pure except for the buttons, whose actions are in `actions`.
import { kindOf, methodOf } from './desk-names.js';
import { back, footButton, leave, listPanel, priceOf, tile } from './desk-parts.js';
import { machinePlaces } from './desk-machine.js';
import { reportPlaces } from './desk-report.js';
import { amountPad, todayPlaces } from './desk-today.js';
import { discrepancyPlaces } from './desk-discrepancies.js';
import { matterPlaces } from './desk-matters.js';
import { waitingPlaces } from './desk-waiting.js';
import { element } from './element.js';
import { keypad } from './keypad.js';
import { labelIn, wordOf } from './label.js';
import { grouped } from './money.js';
import { timeText } from './time.js';
/** @import { Actions, DrawPanel, Places } from './menu-types.ts' */
/** @import { OpenPanel, Panel, Words } from './types.ts' */

const passwordMost = 32;
const passwordLeast = 6;

/** @type {(open: OpenPanel, words: Words, actions: Actions) => Panel} */
export function deskPanel(open, words, actions) {
  // The place tells which of them it is.
  const draw = /** @type {DrawPanel} */ (places[open.place]);
  return { tone: 'plain', hint: '', foot: [leave(words, actions)], ...draw(open, words, actions) };
}

/** @type {Places} */
const places = {
  ...machinePlaces,
  ...reportPlaces,
  ...todayPlaces,
  ...waitingPlaces,
  ...matterPlaces,
  ...discrepancyPlaces,

  locked({ shown, reason, waitMs = 0, entry }, words, actions) {
    const foot = [leave(words, actions), footButton('about', 'about', words.desk.about, actions.about)];
    const title = words.desk.operator;
    if (!shown.operator) return { title, hint: words.desk.noPassword, foot };
    const seconds = String(Math.ceil(waitMs / 1000));
    const hint =
      waitMs > 0 ? words.desk.wait.replace('{seconds}', seconds) : (wordOf(words.desk, `login-${reason}`) ?? '');
    const panel = keypad({
      label: words.desk.password,
      words,
      face: (text) => '•'.repeat(text.length),
      next: (text, key) => (key === 'erase' ? text.slice(0, -1) : (text + key).slice(0, passwordMost)),
      isDone: (text) => text.length >= passwordLeast,
      onDone: actions.login,
      entry,
    });
    return { title, hint, panel, foot };
  },

  menu({ shown, rights }, words, actions) {
    const tiles = [
      tile('today', words.desk.today, () => actions.today()),
      tile('story', words.desk['report-X'], actions.xReport, 'x-report'),
      tile('settle', words.desk.settle, actions.settlement),
      tile('again', words.desk.settlements, actions.settlements, 'settlements'),
      ...(rights.holds ? [tile('hold', words.desk.openHolds, () => actions.today({ holds: true }), 'holds')] : []),
      ...(rights.refundMost === undefined ? [] : [tile('refund', words.desk.refund, actions.refund)]),
      ...(shown.receipts === undefined ? [] : [tile('receipt', words.desk.receipts, actions.receipts)]),
      tile('bank', words.desk.bank, actions.bank),
      tile('devices', words.desk.devices, actions.devices),
      ...(shown.pairs ? [tile('pair', words.desk.pair, actions.pair)] : []),
      tile('about', words.desk.about, actions.about),
      tile('language', words.desk.language, actions.language, 'other-language'),
    ];
    return { title: words.desk.operator, panel: element('div', { class: 'tiles menu' }, ...tiles) };
  },

  busy: (_open, words) => ({
    title: words.titles.processing,
    panel: element('div', { id: 'working' }, element('span', { class: 'spinner' })),
    foot: [],
  }),

  receipts: (open, words, actions) =>
    listPanel(open, words, actions, {
      title: words.desk.receipts,
      nothing: words.desk.noReceipts,
      action: 'receipt',
      row: (each) => [
        `${timeOf(each)} ${methodOf(each, words)}`,
        [kindOf(each, words), each.waits ? words.desk.waits : ''].filter(Boolean).join(' · '),
      ],
      price: priceOf,
      onChoose: actions.printReceipt,
    }),

  /** `text`: what is confirmed, with its amount. */
  sure({ what, kind, text, onYes, onNo }, words, actions) {
    const tiles = [tile('yes', words.desk.yes, onYes), tile('no', words.desk.no, onNo ?? actions.menu)];
    return {
      title:
        kind === undefined
          ? words.desk[`${what}-sure`]
          : words.desk['act-sure'].replace('{act}', kindOf({ kind }, words)),
      hint: text?.(words) ?? '',
      panel: element('div', { class: 'tiles' }, ...tiles),
      foot: [],
    };
  },

  /** The terminal's answer did not arrive: the same question again does nothing twice. */
  lost: ({ text, onAgain }, words, actions) => ({
    title: words.desk.lost,
    hint: labelIn(words, text) ?? words.desk.lostHint,
    panel: element('div', { class: 'tiles' }, tile('again', words.desk.askAgain, onAgain)),
    foot: [back(words, actions)],
  }),

  refund({ shown, rights, entry }, words, actions) {
    const { currency } = shown.price;
    return {
      title: words.desk.refund,
      hint: words.desk.refundAtMost.replace('{most}', `${currency} ${grouped(rights.refundMost ?? '')}`),
      panel: amountPad(shown.price, words, entry, actions.refundSure),
      foot: [back(words, actions)],
    };
  },

  pairing({ shown }, words, actions) {
    const { others, ...pairing } = shown.pairing ?? { stage: 'open' };
    if (pairing.stage === 'open') {
      return {
        title: words.desk.pair,
        hint: words.desk[others ? 'pairNowOthers' : 'pairNow'],
        tone: 'notice',
        foot: [leave(words, actions)],
      };
    }
    const { posId, code } = pairing;
    return {
      title: `${code.slice(0, 3)} ${code.slice(3)}`,
      hint: words.desk[others ? 'compareOthers' : 'compare'].replaceAll('{pos}', () => posId),
      panel: element(
        'div',
        { class: 'tiles' },
        tile('yes', words.desk.yes, () => actions.decide(true, code)),
        tile('no', words.desk.no, () => actions.decide(false, code)),
      ),
      foot: [],
    };
  },

  /** `text`: the terminal's words, by language. `onBack`: where the work goes on; the menu if absent. */
  said: ({ what, why, text, onBack }, words, actions) => ({
    title: words.desk[what],
    hint: labelIn(words, text) ?? (why === undefined ? '' : words.desk[why]),
    foot: [
      ...(onBack ? [back(words, actions, onBack)] : []),
      footButton('to-menu', 'others', words.desk.menu, actions.menu),
    ],
  }),
};

/** @type {(of: { readonly at: string }) => string} */
function timeOf({ at }) {
  return timeText(at);
}
