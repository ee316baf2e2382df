// The panels of the day's transactions: the list, a search, one transaction, its story, and what can be done with it.
import { back, facts, footButton, listPanel, priceOf, tile } from './desk-parts.js';
import { kindOf, methodOf, openingsText, posOf, shortened, stateOf } from './desk-names.js';
import { button, element } from './element.js';
import { keypad } from './keypad.js';
import { labelIn } from './label.js';
import { decimalsOf, grouped, majorOf, minorOf, typed } from './money.js';

const linesShown = 6;

export const todayPlaces = {
  today(open, words, actions) {
    const { search } = open;
    const { holds } = search;
    const searched = !holds && Object.keys(search).length > 0;
    const nothing = searched ? 'nothingFound' : 'nothingToday';
    const panel = listPanel(open, words, actions, {
      title: words.desk[holds ? 'openHolds' : 'today'],
      nothing: words.desk[holds ? 'noHolds' : nothing],
      action: 'transaction',
      row: holds
        ? (each) => [`${dayOf(each)} ${methodOf(each, words)}`, posOf(each, words)]
        : (each) => [`${timeOf(each)} ${methodOf(each, words)}`, rowState(each, words)],
      onChoose: (each) => actions.story(each.id),
      onBack: searched ? () => actions.today() : actions.menu,
    });
    if (holds) return { ...panel, hint: open.transactions.length === 0 ? panel.hint : words.desk.holdsHint };
    const hint = searched ? searchText(search, words) : openingsText(open, words) || panel.hint;
    return { ...panel, hint, foot: [...panel.foot, footButton('search', 'search', words.desk.search, actions.search)] };
  },

  search({ posIds }, words, actions) {
    const by = (name) => tile('search', words.desk[`by-${name}`], () => actions.searchBy(name), `by-${name}`);
    const tiles = [by('amount'), by('lastFour'), by('time'), ...(posIds.length > 1 ? [by('pos')] : [])];
    return {
      title: words.desk.search,
      panel: element('div', { class: 'tiles' }, ...tiles),
      foot: [back(words, actions, () => actions.today())],
    };
  },

  'by-pos'({ posIds }, words, actions) {
    const rows = posIds.map((posId) =>
      button({ class: 'row', 'data-action': 'pos' }, () => actions.today({ posId }), posOf({ posId }, words)),
    );
    return {
      title: words.desk['by-pos'],
      panel: element('div', { id: 'rows' }, ...rows),
      foot: [back(words, actions, actions.search)],
    };
  },

  'by-amount': ({ told, entry }, words, actions) => ({
    title: words.desk['by-amount'],
    panel: amountPad(told.price, words, entry, (amount) => actions.today({ amount })),
    foot: [back(words, actions, actions.search)],
  }),

  'by-lastFour': ({ entry }, words, actions) => ({
    title: words.desk['by-lastFour'],
    panel: digitsPad(words.desk['by-lastFour'], 4, words, entry, (lastFour) => actions.today({ lastFour })),
    foot: [back(words, actions, actions.search)],
  }),

  'by-time': ({ entry }, words, actions) => ({
    title: words.desk['by-time'],
    hint: words.desk.timeHint,
    panel: digitsPad(
      words.desk['by-time'],
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
      ...acts.map((each) => tile(drawings[each.act], words.kinds[each.kind], () => actions.act(story, each), each.act)),
      ...(story.state === 'UNREADABLE' ? [] : [tile('receipt', words.desk.printAgain, () => actions.reprint(story))]),
      tile('story', words.desk.story, () => actions.lines(story)),
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

  lines({ story, list, first }, words, actions) {
    const { lines } = story;
    const rows = lines.slice(first, first + linesShown).map(({ at, said, with: facts = {} }) => [
      clockOf(at),
      fillIn(words.story[said] ?? words.story.unreadable, {
        ...facts,
        pos: posOf({ posId: facts.pos }, words),
        amount: grouped(facts.amount ?? ''),
      }),
    ]);
    const next = first + linesShown < lines.length ? first + linesShown : 0;
    const more = footButton('more', 'others', words.desk.more, () => actions.lines(story, next));
    return {
      title: words.desk.story,
      panel: facts(rows),
      foot: [back(words, actions, () => actions.one(story, list)), ...(lines.length > linesShown ? [more] : [])],
    };
  },

  /** How much of it: mostly the whole. */
  howMuch({ story, act }, words, actions) {
    const whole = `${words.desk.whole} ${story.currency} ${grouped(act.amount)}`;
    return {
      title: words.kinds[act.kind],
      hint: methodOf(story, words),
      panel: element(
        'div',
        { class: 'tiles' },
        tile(drawings[act.act], whole, () => actions.actSure(story, act, act.amount), 'whole'),
        tile('CASH', words.desk.otherAmount, () => actions.actAmount(story, act), 'other-amount'),
      ),
      foot: [back(words, actions, () => actions.one(story))],
    };
  },

  /** The amount; of a tip, the tip alone. */
  actAmount({ story, act, entry }, words, actions) {
    const { currency } = story;
    const most =
      act.most === undefined ? '' : words.desk.tipAtMost.replace('{most}', `${currency} ${grouped(act.most)}`);
    const isTip = act.act === 'TIP_ADJUST';
    return {
      title: words.kinds[act.kind],
      hint: isTip
        ? `${words.desk.withoutTip.replace('{amount}', `${currency} ${grouped(act.amount)}`)} · ${most}`
        : methodOf(story, words),
      panel: amountPad(story, words, entry, (amount) => actions.actSure(story, act, amount)),
      foot: [back(words, actions, () => actions.one(story))],
    };
  },
};

const drawings = { VOID: 'void', REFUND: 'refund', TIP_ADJUST: 'CASH', AUTH_COMP: 'settle', OFFLINE_SALE: 'settle' };

/** What the confirmation says: the amount, the method, and of a tip the new total. */
export function actText({ currency, ...story }, act, { amount, tip }, words) {
  const said = `${currency} ${grouped(amount)}`;
  if (tip === undefined) return [said, methodOf(story, words)].filter(Boolean).join(' · ');
  return words.desk.tipAndTotal.replace('{tip}', `${currency} ${grouped(tip)}`).replace('{total}', said);
}

/** Major units. */
export function sumOf(one, other) {
  const decimals = Math.max(decimalsOf(one), decimalsOf(other));
  return majorOf(minorOf(one, decimals) + minorOf(other, decimals), decimals);
}

/** A keypad for an amount; `amount`: its format. `onAmount` receives major units. */
export function amountPad({ amount: format, currency }, words, entry, onAmount) {
  const decimals = decimalsOf(format);
  return keypad({
    label: words.desk.amount,
    more: decimals === 0 ? [] : ['.'],
    words,
    face: (text) => `${currency} ${grouped(text || '0')}`,
    next: (text, key) => typed(text, key, decimals),
    isDone: (text) => text !== '' && minorOf(text, decimals) > 0n,
    onDone: (text) => onAmount(majorOf(minorOf(text, decimals), decimals)),
    entry,
  });
}

function digitsPad(label, most, words, entry, onDone, face = (text) => text, isDone = (text) => text.length === most) {
  const next = (text, key) => (key === 'erase' ? text.slice(0, -1) : (text + key).slice(0, most));
  return keypad({ label, words, face, next, isDone, onDone, entry });
}

function clockFace(text) {
  return `${text.slice(0, 2).padEnd(2, '–')}:${text.slice(2).padEnd(2, '–')}`;
}

function isTime(text) {
  return /^(?:[01]\d|2[0-3])[0-5]\d$/.test(text);
}

function searchText({ amount, lastFour, time, posId }, words) {
  const said = amount ?? lastFour ?? (time === undefined ? posOf({ posId }, words) : clockFace(time));
  const by = Object.entries({ amount, lastFour, time, pos: posId }).find(([, value]) => value !== undefined)?.[0];
  return `${words.desk[`by-${by}`]}: ${said}`;
}

function rowState(each, words) {
  return [kindOf(each, words), stateOf(each, words), posOf(each, words)].filter(Boolean).join(' · ');
}

function storyFacts(story, words) {
  const { approvalCode, trace, invoice, why, tip, total, currency, original, later, cashierId } = story;
  const link = (each) => [`${timeOf(each)} ${kindOf(each, words)}`, `${priceOf(each)} · ${stateOf(each, words)}`];
  return [
    [clockOf(story.at), [posOf(story, words), shortened(cashierId)].filter(Boolean).join(' · ')],
    ...(tip === ''
      ? []
      : [[`${words.sums.ownTip} ${currency} ${grouped(tip)}`, `${words.sums.total} ${currency} ${grouped(total)}`]]),
    ...(approvalCode === '' ? [] : [[words.desk.approvalCode, approvalCode]]),
    ...(trace === ''
      ? []
      : [[words.desk.trace.replace('{trace}', trace), words.desk.invoice.replace('{invoice}', invoice)]]),
    ...(why === undefined ? [] : [[words.desk.why, labelIn(words, why)]]),
    ...(original ? [link(original)] : []),
    ...later.slice(-2).map(link),
  ];
}

function fillIn(text, facts) {
  return Object.entries(facts).reduce((said, [name, value]) => said.replaceAll(`{${name}}`, () => value ?? ''), text);
}

function timeOf({ at }) {
  return at === '' ? '' : new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

/** A hold may be of another day. */
function dayOf({ at }) {
  const parts = { day: '2-digit', month: '2-digit', hour: '2-digit', minute: '2-digit' };
  return at === '' ? '' : new Date(at).toLocaleString('en-GB', parts).replace(',', '');
}

function clockOf(at) {
  return new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}
