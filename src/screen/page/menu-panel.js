// The panels of the operator's menu. Pure except for the buttons, whose actions are in `actions`.
import { kindOf, methodOf } from './menu-names.js';
import { back, footButton, leave, listPanel, priceOf, tile } from './menu-parts.js';
import { machinePlaces } from './menu-machine.js';
import { reportPlaces } from './menu-report.js';
import { amountPad, merchantRows, todayPlaces } from './menu-today.js';
import { discrepancyPlaces } from './menu-discrepancies.js';
import { matterPlaces } from './menu-matters.js';
import { waitingPlaces } from './menu-waiting.js';
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
export function menuPanel(open, words, actions) {
  // The place distinguishes them.
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
    const foot = [leave(words, actions), footButton('about', 'about', words.menu.about, actions.about)];
    const title = words.menu.operator;
    if (!shown.operator) return { title, hint: words.menu.noPassword, foot };
    const seconds = String(Math.ceil(waitMs / 1000));
    const hint =
      waitMs > 0 ? words.menu.wait.replace('{seconds}', seconds) : (wordOf(words.menu, `login-${reason}`) ?? '');
    const panel = keypad({
      label: words.menu.password,
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
      tile('today', words.menu.today, () => actions.today()),
      tile('story', words.menu['report-X'], actions.xReport, 'x-report'),
      tile('settle', words.menu.settle, actions.settlement),
      tile('again', words.menu.settlements, actions.settlements, 'settlements'),
      ...(rights.holds ? [tile('hold', words.menu.openHolds, () => actions.today({ holds: true }), 'holds')] : []),
      ...(rights.refundMost === undefined ? [] : [tile('refund', words.menu.refund, actions.refund)]),
      ...(shown.receipts === undefined ? [] : [tile('receipt', words.menu.receipts, actions.receipts)]),
      tile('bank', words.menu.bank, actions.bank),
      tile('devices', words.menu.devices, actions.devices),
      ...(shown.pairs ? [tile('pair', words.menu.pair, actions.pair)] : []),
      tile('about', words.menu.about, actions.about),
      tile('language', words.menu.language, actions.language, 'other-language'),
    ];
    return { title: words.menu.operator, panel: element('div', { class: 'tiles menu' }, ...tiles) };
  },

  busy: (_open, words) => ({
    title: words.titles.processing,
    panel: element('div', { id: 'working' }, element('span', { class: 'spinner' })),
    foot: [],
  }),

  receipts: (open, words, actions) =>
    listPanel(open, words, actions, {
      title: words.menu.receipts,
      nothing: words.menu.noReceipts,
      action: 'receipt',
      row: (each) => [
        `${timeOf(each)} ${methodOf(each, words)}`,
        [kindOf(each, words), each.waits ? words.menu.waits : ''].filter(Boolean).join(' · '),
      ],
      price: priceOf,
      onChoose: actions.printReceipt,
    }),

  /** `text`: what is confirmed, with its amount. */
  sure({ what, kind, text, onYes, onNo }, words, actions) {
    const tiles = [tile('yes', words.menu.yes, onYes), tile('no', words.menu.no, onNo ?? actions.menu)];
    return {
      title:
        kind === undefined
          ? words.menu[`${what}-sure`]
          : words.menu['act-sure'].replace('{act}', kindOf({ kind }, words)),
      hint: text?.(words) ?? '',
      panel: element('div', { class: 'tiles' }, ...tiles),
      foot: [],
    };
  },

  /** The terminal's answer did not arrive: repeating the request carries out nothing twice. */
  lost: ({ text, onAgain }, words, actions) => ({
    title: words.menu.lost,
    hint: labelIn(words, text) ?? words.menu.lostHint,
    panel: element('div', { class: 'tiles' }, tile('again', words.menu.askAgain, onAgain)),
    foot: [back(words, actions)],
  }),

  /** Only for one merchant, if there are several. */
  refund({ shown, rights, entry, merchantId }, words, actions) {
    const { currency } = shown.price;
    if (rights.merchants && merchantId === undefined) {
      const panel = merchantRows(rights, actions.refundFor);
      return { title: words.menu.refund, hint: words.menu['by-merchant'], panel, foot: [back(words, actions)] };
    }
    return {
      title: words.menu.refund,
      hint: words.menu.refundAtMost.replace('{most}', `${currency} ${grouped(rights.refundMost ?? '')}`),
      panel: amountPad(shown.price, words, entry, (amount) => actions.refundSure(amount, merchantId)),
      foot: [back(words, actions)],
    };
  },

  pairing({ shown }, words, actions) {
    const { others, ...pairing } = shown.pairing ?? { stage: 'open' };
    if (pairing.stage === 'open') {
      return {
        title: words.menu.pair,
        hint: words.menu[others ? 'pairNowOthers' : 'pairNow'],
        tone: 'notice',
        foot: [leave(words, actions)],
      };
    }
    const { posId, code } = pairing;
    return {
      title: `${code.slice(0, 3)} ${code.slice(3)}`,
      hint: words.menu[others ? 'compareOthers' : 'compare'].replaceAll('{pos}', () => posId),
      panel: element(
        'div',
        { class: 'tiles' },
        tile('yes', words.menu.yes, () => actions.decide(true, code)),
        tile('no', words.menu.no, () => actions.decide(false, code)),
      ),
      foot: [],
    };
  },

  /** `text`: the terminal's words, by language. `onBack`: where the work continues; the menu if absent. */
  said: ({ what, why, text, onBack }, words, actions) => ({
    title: words.menu[what],
    hint: labelIn(words, text) ?? (why === undefined ? '' : words.menu[why]),
    foot: [
      ...(onBack ? [back(words, actions, onBack)] : []),
      footButton('to-menu', 'others', words.menu.menu, actions.menu),
    ],
  }),
};

/** @type {(of: { readonly at: string }) => string} */
function timeOf({ at }) {
  return timeText(at);
}
