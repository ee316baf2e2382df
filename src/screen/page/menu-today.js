// The panels of the day's transactions: the list, a search, one transaction, its history, and the possible actions.
import { back, fact, facts, footButton, listPanel, priceOf, tile } from './menu-parts.js';
import { kindOf, merchantOf, methodOf, openingsText, posOf, shortened, stateInList, stateOf } from './menu-names.js';
import { button, element } from './element.js';
import { keypad } from './keypad.js';
import { labelIn, wordOf } from './label.js';
import { decimalsOf, grouped, majorOf, minorOf, typed } from './money.js';
import { timeText } from './time.js';
/** @import { Places } from './menu-types.ts' */
/** @import { Entry, Fact, ListedDay, PossibleAct, Priced, Rights, Search, Story, Words } from './types.ts' */

const linesShown = 6;

/** @type {Places<'today' | 'search' | 'by-pos' | 'by-merchant' | 'by-amount' | 'by-lastFour' | 'by-time' | 'one' | 'lines' | 'howMuch' | 'actAmount'>} */
export const todayPlaces = {
  today(open, words, actions) {
    const { search } = open;
    const { holds } = search;
    const searched = !holds && Object.keys(search).length > 0;
    const nothing = searched ? 'nothingFound' : 'nothingToday';
    const panel = listPanel(open, words, actions, {
      title: words.menu[holds ? 'openHolds' : 'today'],
      nothing: words.menu[holds ? 'noHolds' : nothing],
      action: 'transaction',
      row: holds
        ? (each) => [`${dayOf(each)} ${methodOf(each, words)}`, whoOf(each, words)]
        : (each) => [`${timeOf(each)} ${methodOf(each, words)}`, rowState(each, words)],
      price: priceOf,
      onChoose: (each) => actions.story(each.id),
      onBack: searched ? () => actions.today() : actions.menu,
      fetchMore: open.next === undefined ? undefined : () => actions.fetchMore(open),
    });
    if (holds) return { ...panel, hint: open.transactions.length === 0 ? panel.hint : words.menu.holdsHint };
    const hint = searched ? searchText(search, words) : openingsText(open, words) || panel.hint;
    return { ...panel, hint, foot: [...panel.foot, footButton('search', 'search', words.menu.search, actions.search)] };
  },

  search({ posIds, rights }, words, actions) {
    /** @type {(name: 'amount' | 'lastFour' | 'time' | 'pos' | 'merchant') => HTMLButtonElement} */
    const by = (name) => tile('search', words.menu[`by-${name}`], () => actions.searchBy(name), `by-${name}`);
    const tiles = [
      by('amount'),
      by('lastFour'),
      by('time'),
      ...(posIds.length > 1 ? [by('pos')] : []),
      ...(rights.merchants ? [by('merchant')] : []),
    ];
    return {
      title: words.menu.search,
      panel: element('div', { class: 'tiles' }, ...tiles),
      foot: [back(words, actions, () => actions.today())],
    };
  },

  'by-pos'({ posIds }, words, actions) {
    const rows = posIds.map((posId) =>
      button({ class: 'row', 'data-action': 'pos' }, () => actions.today({ posId }), posOf({ posId }, words)),
    );
    return {
      title: words.menu['by-pos'],
      panel: element('div', { id: 'rows' }, ...rows),
      foot: [back(words, actions, actions.search)],
    };
  },

  'by-merchant': ({ rights }, words, actions) => ({
    title: words.menu['by-merchant'],
    panel: merchantRows(rights, (merchantId) => actions.today({ merchantId })),
    foot: [back(words, actions, actions.search)],
  }),

  'by-amount': ({ shown, entry }, words, actions) => ({
    title: words.menu['by-amount'],
    panel: amountPad(shown.price, words, entry, (amount) => actions.today({ amount })),
    foot: [back(words, actions, actions.search)],
  }),

  'by-lastFour': ({ entry }, words, actions) => ({
    title: words.menu['by-lastFour'],
    panel: digitsPad(words.menu['by-lastFour'], 4, words, entry, (lastFour) => actions.today({ lastFour })),
    foot: [back(words, actions, actions.search)],
  }),

  'by-time': ({ entry }, words, actions) => ({
    title: words.menu['by-time'],
    hint: words.menu.timeHint,
    panel: digitsPad(
      words.menu['by-time'],
      4,
      words,
      entry,
      (text) => actions.today({ time: text }),
      clockFace,
      isTime,
    ),
    foot: [back(words, actions, actions.search)],
  }),

  one({ story, list }, words, actions) {
    const { acts, lastDigits, method } = story;
    // A currency stays beside its amount.
    const price = priceOf(story).replace(' ', '\u00a0');
    const about = [kindOf(story, words), price, method || lastDigits ? methodOf(story, words) : ''];
    const tiles = [
      ...acts.map((each) => tile(drawings[each.act], kindOf(each, words), () => actions.act(story, each), each.act)),
      ...(story.state === 'UNREADABLE' ? [] : [tile('receipt', words.menu.printAgain, () => actions.reprint(story))]),
      tile('story', words.menu.story, () => actions.lines(story)),
    ];
    return {
      title: stateOf(story, words),
      hint: about.filter(Boolean).join(' · '),
      panel: element(
        'div',
        { id: 'waits' },
        facts(storyFacts(story, words)),
        element('div', { class: 'tiles' }, ...tiles),
      ),
      foot: [back(words, actions, () => actions.reopen(list))],
    };
  },

  lines({ story, first }, words, actions) {
    const { lines } = story;
    /** @type {Fact[]} */
    const rows = lines.slice(first, first + linesShown).map(({ at, said, with: facts = {} }) => [
      clockOf(at),
      fillIn(wordOf(words.story, said) ?? words.story.unreadable, {
        ...facts,
        pos: posOf({ posId: facts.pos }, words),
        amount: grouped(facts.amount ?? ''),
      }),
    ]);
    const next = first + linesShown < lines.length ? first + linesShown : 0;
    const more = footButton('more', 'others', words.menu.more, () => actions.lines(story, next));
    return {
      title: words.menu.story,
      panel: facts(rows),
      foot: [back(words, actions, () => actions.one(story)), ...(lines.length > linesShown ? [more] : [])],
    };
  },

  /** How much of it: mostly the whole. */
  howMuch({ story, act }, words, actions) {
    const all = story.refunded === undefined ? words.menu.whole : words.menu.rest;
    const whole = `${all} ${story.currency} ${grouped(act.amount)}`;
    return {
      title: kindOf(act, words),
      hint: methodOf(story, words),
      panel: element(
        'div',
        { class: 'tiles' },
        tile(drawings[act.act], whole, () => actions.actSure(story, act, act.amount), 'whole'),
        tile('CASH', words.menu.otherAmount, () => actions.actAmount(story, act), 'other-amount'),
      ),
      foot: [back(words, actions, () => actions.one(story))],
    };
  },

  /** The amount; of a tip, the tip alone. */
  actAmount({ story, act, entry }, words, actions) {
    const { currency } = story;
    const most =
      act.most === undefined ? '' : words.menu.tipAtMost.replace('{most}', `${currency} ${grouped(act.most)}`);
    const isTip = act.act === 'TIP_ADJUST';
    return {
      title: kindOf(act, words),
      hint: isTip
        ? `${words.menu.withoutTip.replace('{amount}', `${currency} ${grouped(act.amount)}`)} · ${most}`
        : methodOf(story, words),
      panel: amountPad(story, words, entry, (amount) => actions.actSure(story, act, amount)),
      foot: [back(words, actions, () => actions.one(story))],
    };
  },
};

/** @type {Record<PossibleAct['act'], string>} */
const drawings = { VOID: 'void', REFUND: 'refund', TIP_ADJUST: 'CASH', AUTH_COMP: 'settle', OFFLINE_SALE: 'settle' };

/**
 * The text of the confirmation: the amount, the method, and for a tip the new total.
 * @type {(story: Story, act: PossibleAct, shown: { readonly amount: string, readonly tip?: string }, words: Words) => string}
 */
export function actText({ currency, ...story }, act, { amount, tip }, words) {
  const said = `${currency} ${grouped(amount)}`;
  if (tip === undefined) return [said, methodOf(story, words)].filter(Boolean).join(' · ');
  return words.menu.tipAndTotal.replace('{tip}', `${currency} ${grouped(tip)}`).replace('{total}', said);
}

/**
 * Major units.
 * @type {(one: string, other: string) => string}
 */
export function sumOf(one, other) {
  const decimals = Math.max(decimalsOf(one), decimalsOf(other));
  return majorOf(minorOf(one, decimals) + minorOf(other, decimals), decimals);
}

/**
 * A keypad for an amount; `amount`: its format. `onAmount` receives major units.
 * @type {(format: Priced, words: Words, entry: Entry, onAmount: (amount: string) => void) => HTMLElement}
 */
export function amountPad({ amount: format, currency }, words, entry, onAmount) {
  const decimals = decimalsOf(format);
  return keypad({
    label: words.menu.amount,
    more: decimals === 0 ? [] : ['.'],
    words,
    face: (text) => `${currency} ${grouped(text || '0')}`,
    next: (text, key) => typed(text, key, decimals),
    isDone: (text) => text !== '' && minorOf(text, decimals) > 0n,
    onDone: (text) => onAmount(majorOf(minorOf(text, decimals), decimals)),
    entry,
  });
}

/**
 * @param {string} label
 * @param {number} most
 * @param {Words} words
 * @param {Entry} entry
 * @param {(text: string) => void} onDone
 * @param {(text: string) => string} [face]
 * @param {(text: string) => boolean} [isDone]
 */
function digitsPad(label, most, words, entry, onDone, face = (text) => text, isDone = (text) => text.length === most) {
  /** @type {(text: string, key: string) => string} */
  const next = (text, key) => (key === 'erase' ? text.slice(0, -1) : (text + key).slice(0, most));
  return keypad({ label, words, face, next, isDone, onDone, entry });
}

/** @type {(text: string) => string} */
function clockFace(text) {
  return `${text.slice(0, 2).padEnd(2, '–')}:${text.slice(2).padEnd(2, '–')}`;
}

/** @type {(text: string) => boolean} */
function isTime(text) {
  return /^(?:[01]\d|2[0-3])[0-5]\d$/.test(text);
}

/** @type {(search: Search, words: Words) => string} */
function searchText({ amount, lastFour, time, posId, merchantId }, words) {
  if (merchantId !== undefined) return `${words.menu['by-merchant']}: ${merchantOf({ merchantId })}`;
  if (amount !== undefined) return `${words.menu['by-amount']}: ${amount}`;
  if (lastFour !== undefined) return `${words.menu['by-lastFour']}: ${lastFour}`;
  if (time !== undefined) return `${words.menu['by-time']}: ${clockFace(time)}`;
  return `${words.menu['by-pos']}: ${posOf({ posId }, words)}`;
}

/** @type {(row: ListedDay, words: Words) => string} */
function rowState(each, words) {
  return [kindOf(each, words), stateInList(each, words), whoOf(each, words)].filter(Boolean).join(' · ');
}

/**
 * The till, and the merchant where there are several.
 * @type {(row: ListedDay, words: Words) => string}
 */
function whoOf(each, words) {
  return [posOf(each, words), merchantOf(each)].filter(Boolean).join(' · ');
}

/**
 * A row for each merchant, to choose one.
 * @type {(rights: Rights, onChoose: (merchantId: string) => void) => HTMLElement}
 */
export function merchantRows({ merchants = [] }, onChoose) {
  const rows = merchants.map((each) =>
    button({ class: 'row', 'data-action': 'merchant' }, () => onChoose(each.id), merchantOf({ merchantId: each.id })),
  );
  return element('div', { id: 'rows' }, ...rows);
}

/** @type {(story: Story, words: Words) => Fact[]} */
function storyFacts(story, words) {
  const { approvalCode, trace, invoice, why, tip, total, currency, original, later, cashierId } = story;
  /** @type {(each: Story['later'][number]) => Fact} */
  const link = (each) => [`${timeOf(each)} ${kindOf(each, words)}`, `${priceOf(each)} · ${stateInList(each, words)}`];
  /** @type {(name: 'final' | 'refunded') => Fact[]} */
  const changed = (name) => {
    const amount = story[name];
    return amount === undefined ? [] : [[words.menu[`${name}Amount`], `${currency} ${grouped(amount)}`, name]];
  };
  return [
    [clockOf(story.at), [posOf(story, words), shortened(cashierId), merchantOf(story)].filter(Boolean).join(' · ')],
    ...(tip === ''
      ? []
      : [
          fact(`${words.sums.ownTip} ${currency} ${grouped(tip)}`, `${words.sums.total} ${currency} ${grouped(total)}`),
        ]),
    ...changed('final'),
    ...changed('refunded'),
    ...(approvalCode === '' ? [] : [fact(words.menu.approvalCode, approvalCode)]),
    ...(trace === ''
      ? []
      : [fact(words.menu.trace.replace('{trace}', trace), words.menu.invoice.replace('{invoice}', invoice))]),
    ...(why === undefined ? [] : [fact(words.menu.why, labelIn(words, why) ?? '')]),
    ...(original ? [link(original)] : []),
    ...later.slice(-2).map(link),
  ];
}

/** @type {(text: string, facts: Readonly<Record<string, string>>) => string} */
function fillIn(text, facts) {
  return Object.entries(facts).reduce((said, [name, value]) => said.replaceAll(`{${name}}`, () => value), text);
}

/** @type {(of: { readonly at: string }) => string} */
function timeOf({ at }) {
  return timeText(at);
}

/**
 * A hold may be of another day.
 * @type {(of: { readonly at: string }) => string}
 */
function dayOf({ at }) {
  return timeText(at, { day: '2-digit', month: '2-digit', hour: '2-digit', minute: '2-digit' });
}

/** @type {(at: string) => string} */
function clockOf(at) {
  return timeText(at, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}
