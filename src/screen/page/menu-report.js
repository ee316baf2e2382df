// The panels of the reports: X of the open batches, Z of closed ones, and the settlement with its amounts.
import { back, fact, facts, footButton, listPanel, tile } from './menu-parts.js';
import { nameOfMethod, openedBy } from './menu-names.js';
import { button, element } from './element.js';
import { labelIn, wordOf } from './label.js';
import { grouped } from './money.js';
import { timeText } from './time.js';
/** @import { Places } from './menu-types.ts' */
/** @import { Counted, Fact, Figures, Priced, SettledText, Summand, Total, Words } from './types.ts' */

/** Number of rows that fit on the smallest screen. */
const linesShown = 8;
/** The fact whose name and value take two lines: the user who opened the drawer, and the reason. */
const opening = 'opening';

/** @type {Places<'report' | 'settlements' | 'settlement' | 'settled'>} */
export const reportPlaces = {
  report({ figures, first = 0, of, shown }, words, actions) {
    const rows = reportRows(figures, words, shown.price);
    const end = endOfPage(rows, first);
    const next = end < rows.length ? end : 0;
    const more = footButton('more', 'others', words.menu.more, () =>
      actions.more({ place: 'report', figures, of }, next),
    );
    const print = footButton('print', 'receipt', words.menu.print, () => actions.printReport(figures, of));
    const slip = of && footButton('slip', 'settle', words.menu.slip, () => actions.printSettlement(of));
    return {
      title: words.menu[`report-${figures.kind}`],
      hint: of ? batchName(of, words) : words.menu.openBatches,
      panel: facts(rows.slice(first, end)),
      foot: [
        back(words, actions, of ? actions.settlements : actions.menu),
        print,
        ...(slip ? [slip] : []),
        ...(next > 0 || first > 0 ? [more] : []),
      ],
    };
  },

  settlements: (open, words, actions) =>
    listPanel(open, words, actions, {
      title: words.menu.settlements,
      nothing: words.menu.noSettlements,
      action: 'batch',
      row: (each) => [batchName(each, words), dateOf(each)],
      price: ({ totals }) => netText(totals, words),
      onChoose: actions.zReport,
    }),

  /** Each acquirer with its open batch, and all of them together. */
  settlement({ figures }, words, actions) {
    const rows = figures.batches.map((each) =>
      button(
        { class: 'row', 'data-action': 'acquirer', 'data-acquirer': each.acquirer },
        () => actions.settleSure(each),
        element('span', { class: 'texts' }, element('span', {}, batchName(each, words))),
        element('strong', {}, netText(each.totals, words)),
      ),
    );
    return {
      title: words.menu.settle,
      hint: words.menu.settleHint,
      panel: element('div', { id: 'rows' }, ...rows),
      foot: [back(words, actions), footButton('all', 'settle', words.menu.settleAll, () => actions.settleSure())],
    };
  },

  /** The result of each batch. A failed one can be tried again. */
  settled({ settlements }, words, actions) {
    /** @type {Fact[]} */
    const rows = settlements.flatMap((each) => [
      fact(batchText(each, words), unresolvedText(each, words) || netText(each.totals, words)),
      ...(each.trouble === undefined ? [] : [fact(words.menu.why, words.troubles[each.trouble])]),
    ]);
    const failed = settlements.filter(({ result }) => result === 'FAILED');
    const tiles = failed.map(({ acquirer }) =>
      tile('again', words.menu.tryAgain.replace('{acquirer}', acquirer), () => actions.settle({ acquirer }), 'again'),
    );
    return {
      title: words.menu.settled,
      panel: element(
        'div',
        { id: 'waits' },
        facts(rows),
        ...(tiles.length === 0 ? [] : [element('div', { class: 'tiles' }, ...tiles)]),
      ),
      foot: [footButton('to-menu', 'others', words.menu.menu, actions.menu)],
    };
  },
};

/** @type {(of: { readonly acquirer: string, readonly batch: number }, words: Words) => string} */
export function batchName({ acquirer, batch }, words) {
  return `${acquirer} · ${words.menu.batch.replace('{batch}', String(batch))}`;
}

/**
 * The merchant's net of these totals, by currency, and the number of payments.
 * @type {(totals: readonly Total[], words: Words) => string}
 */
export function netText(totals, words) {
  const currencies = [...new Set(totals.map(({ currency }) => currency))];
  if (currencies.length === 0) return words.menu.empty;
  return currencies
    .map((currency) => {
      const own = totals.filter((each) => each.currency === currency);
      const count = own.reduce((sum, each) => sum + each.count, 0);
      return `${currency} ${grouped(netOf(own))} (${count})`;
    })
    .join(', ');
}

/**
 * Major units as text; calculated in minor units, never in a float.
 * @type {(totals: readonly Summand[]) => string}
 */
function netOf(totals) {
  const texts = totals.map((each) =>
    'kind' in each ? { kind: each.kind, text: each.amount } : { kind: each.transactionType, text: each.totalAmount },
  );
  const decimals = Math.max(...texts.map(({ text }) => (text.split('.')[1] ?? '').length));
  const minor = texts.reduce((sum, { kind, text }) => {
    const [whole = '', fraction = ''] = text.split('.');
    const value = BigInt(whole + fraction.padEnd(decimals, '0'));
    return kind === 'REFUND' ? sum - value : sum + value;
  }, 0n);
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
  const shown = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return minor < 0n ? `-${shown}` : shown;
}

/**
 * Where the page that begins at row `first` ends.
 * @type {(rows: readonly Fact[], first: number) => number}
 */
function endOfPage(rows, first) {
  let [end, lines] = [first, 0];
  for (const row of rows.slice(first)) {
    lines += linesOf(row);
    if (lines > linesShown) return end;
    end += 1;
  }
  return end;
}

/** @type {(row: Fact) => number} */
function linesOf([, , name]) {
  return name === opening ? 2 : 1;
}

/**
 * The most important first: the shop's takings, and the cash that must be in its drawer.
 * @type {(figures: Figures, words: Words, nothing: Priced) => Fact[]}
 */
function reportRows({ sums, methods, brands, cash, options, cashback, batches, ...openings }, words, nothing) {
  const { menu } = words;
  /** @type {(label: string, name: 'voids' | 'openAuths' | 'unresolved') => Fact[]} */
  const aside = (label, name) =>
    totalsOf(batches.flatMap((each) => each[name])).map(([count, sum]) => fact(`${label} (${count})`, sum));
  const unreadable = batches.reduce((sum, each) => sum + each.unreadable, 0);
  return [
    ...sums.flatMap((each) => groupRows(menu.salesAll, each, words)),
    ...(sums.length === 0 ? [fact(menu.salesAll, menu.empty)] : []),
    ...aside(menu.voids, 'voids'),
    ...aside(menu.holds, 'openAuths'),
    ...aside(menu.unknowns, 'unresolved'),
    ...options.map(({ label, count, ...each }) => fact(`${labelIn(words, label)} (${count})`, money(each))),
    ...cashback.map(({ count, ...each }) => fact(`${words.sums.cashback} (${count})`, money(each))),
    // A drawer without a sale in cash is a figure too.
    ...(cash.length === 0 ? [nothing] : cash).map((each) => fact(menu.drawer, money(each))),
    ...openingRows(openings, words),
    ...(unreadable === 0 ? [] : [fact(menu.unreadables, String(unreadable))]),
    ...methods.flatMap((each) => groupRows(wordOf(menu, `means-${each.name}`) ?? each.name, each, words)),
    ...brands.flatMap((each) => groupRows(nameOfMethod(each.name, words), each, words)),
    ...batches.map((each) => fact(batchName(each, words), netText(each.totals, words))),
  ];
}

/**
 * Nothing if it was not opened.
 * @type {(figures: Pick<Figures, 'drawerSales' | 'drawerOpenings'>, words: Words) => Fact[]}
 */
function openingRows({ drawerSales, drawerOpenings: others }, words) {
  if (drawerSales === 0 && others.length === 0) return [];
  return [
    [words.menu.drawerSales, String(drawerSales)],
    ...others.map((each) => fact(words.menu.drawerOpenings, `${openedBy(each, words)}: ${each.count}`, opening)),
  ];
}

/** @type {(label: string, group: Figures['sums'][number], words: Words) => Fact[]} */
function groupRows(label, { sales, refunds, tip }, words) {
  return [
    [`${label} (${sales.count})`, money(sales)],
    ...(refunds.count === 0 ? [] : [fact(`${label}: ${words.kinds.REFUND} (${refunds.count})`, `-${money(refunds)}`)]),
    ...(tip === undefined ? [] : [fact(`${label}: ${words.sums.ownTip}`, money(tip))]),
  ];
}

/**
 * Count and sum by currency, of any kind.
 * @type {(totals: readonly Counted[]) => (readonly [number, string])[]}
 */
function totalsOf(totals) {
  const currencies = [...new Set(totals.map(({ currency }) => currency))];
  return currencies.map((currency) => {
    const own = totals.filter((each) => each.currency === currency);
    const sum = netOf(own.map(({ amount }) => ({ kind: 'SALE', amount })));
    return [own.reduce((all, { count }) => all + count, 0), `${currency} ${grouped(sum)}`];
  });
}

/** @type {(of: Priced) => string} */
function money({ amount, currency }) {
  return `${currency} ${grouped(amount)}`;
}

/**
 * The result of a batch: settled (books agreed or differed), empty, or not settled.
 * @type {(of: SettledText, words: Words) => string}
 */
function batchText({ acquirer, batch, result, empty }, words) {
  const done = result === 'UPLOADED' ? 'batchDiffered' : empty ? 'batchEmpty' : 'batchSettled';
  const said = result === 'FAILED' ? 'batchFailed' : done;
  return words.menu[said].replace('{acquirer}', acquirer).replace('{batch}', String(batch));
}

/** @type {(of: SettledText, words: Words) => string} */
function unresolvedText({ unresolved = [] }, words) {
  if (unresolved.length === 0) return '';
  const sums = unresolved.map(({ currency, count, totalAmount }) => `${currency} ${totalAmount} (${count})`);
  return words.menu.unresolved.replace('{sums}', () => sums.join(', '));
}

/** @type {(of: { readonly at: string }) => string} */
function dateOf({ at }) {
  return timeText(at, { day: '2-digit', month: '2-digit', year: 'numeric', hour: '2-digit', minute: '2-digit' });
}
