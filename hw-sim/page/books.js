import { get } from './call.js';
import { $, element, show } from './element.js';
import { majorText } from './money.js';
import { onceMore } from './once-more.js';
import { walletName } from './phones.js';
/** @import { Booked, BooksPaths, Cell, LedgerEntry, OctopusLedgerEntry, QfpayLedgerEntry, SettlementEntry } from './types.ts' */

const rowsMax = 20;

/** Large books take long to load: the more rows, the longer the pause before the next load. */
const pauseMsPerRow = 0.5;
const pauseMsMin = 200;

/** @type {(entry: Booked) => Cell[]} */
function rowOf(entry) {
  if ('maskedPan' in entry) return cardsRow(entry);
  return 'tradeNo' in entry ? walletsRow(entry) : octopusRow(entry);
}

/**
 * The books of one host: a table that is fetched only when `look` is called with another key than before.
 * @type {(paths: BooksPaths) => { box: HTMLElement, look: (key: string) => void }}
 */
export function makeBooks(paths) {
  const box = element('div', '', 'books');
  const [ledger, settlements] = [table('ledger'), table('settlements')];
  const note = element('p', 'Nothing booked', 'nothing');
  box.append(ledger, note, settlements);
  let rows = 0;
  const fetchAll = onceMore(
    async () => {
      const [entries, batches] = [await get(paths.ledger), paths.settlements ? await get(paths.settlements) : []];
      rows = entries?.length ?? 0;
      if (entries) fill(ledger, ['Time', 'What', 'Amount', 'Status'], entries.slice(-rowsMax).map(rowOf));
      if (batches) fill(settlements, ['Batch', 'Sales', 'Refunds', 'Result'], batches.slice(-rowsMax).map(batchRow));
      const older = rows - rowsMax;
      show(note, rows === 0 ? 'Nothing booked' : older > 0 ? `and ${older} older` : '');
    },
    () => Math.max(pauseMsMin, rows * pauseMsPerRow),
  );
  /** @type {string | undefined} */
  let seen;
  /** @type {(key: string) => void} */
  const look = (key) => {
    if (key === seen) return;
    seen = key;
    void fetchAll();
  };
  return { box, look };
}

/** @type {(entry: LedgerEntry) => Cell[]} */
function cardsRow({ at, kind, maskedPan, stan, rrn, amount, currency, tip, status, batch, reversals, ...more }) {
  return [
    [time(at)],
    [`${words(kind)} •${maskedPan.slice(-4)}`, `${stan} · ${rrn}`],
    [
      `${currency} ${amount}`,
      sum('tip', tip) || sum('cash', more.cashbackMinor && majorText(more.cashbackMinor)),
      'amount',
    ],
    [
      words(status),
      [more.site ?? '', batch === null ? '' : `batch ${batch}`, reversals > 1 ? `reversed ×${reversals}` : ''].join(
        ' ',
      ),
      status,
    ],
  ];
}

/** @type {(entry: QfpayLedgerEntry) => Cell[]} */
function walletsRow({ at, kind, wallet, tradeNo, amount, currency, status, respcd, refundedMinor }) {
  return [
    [time(at)],
    [`${words(kind)} ${walletName(wallet)}`, tradeNo],
    [`${currency} ${amount}`, refundedMinor === undefined ? '' : `back ${majorText(refundedMinor)}`, 'amount'],
    [words(status), respcd, status],
  ];
}

/** @type {(entry: OctopusLedgerEntry) => Cell[]} */
function octopusRow({ at, cardId, reference, amountMinor, status, receipt, uploaded }) {
  return [
    [time(at)],
    [`Card ${cardId}`, receipt ?? reference],
    [`HKD ${majorText(amountMinor)}`, '', 'amount'],
    [words(status), uploaded ? 'handed over' : '', status],
  ];
}

/**
 * If the two sides differ, both are shown: the terminal's, then the host's.
 * @type {(entry: SettlementEntry) => Cell[]}
 */
function batchRow({ batch, currency, terminal, host, uploaded, differences, result }) {
  /** @type {(kind: 'sales' | 'refunds') => Cell} */
  const both = (kind) => {
    /** @type {(total: { count: number, amount: string }) => string} */
    const said = ({ count, amount }) => `${count} × ${amount}`;
    const [claimed, booked] = [said(terminal[kind]), said(host[kind])];
    return [claimed, claimed === booked ? '' : `host ${booked}`, 'amount'];
  };
  const more = [
    ...(uploaded ? [`${uploaded} uploaded`] : []),
    ...(differences.length > 0 ? [`${differences.length} differ`] : []),
  ];
  return [[`${batch} ${currency}`], both('sales'), both('refunds'), [words(result), more.join(', '), result]];
}

/** @type {(name: string, amount: string | undefined) => string} */
function sum(name, amount) {
  return amount === undefined || /^[0.]*$/.test(amount) ? '' : `${name} ${amount}`;
}

/** @type {(name: string) => string} */
function words(name) {
  const text = name.replaceAll('_', ' ').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @type {(at: string) => string} */
function time(at) {
  return new Date(at).toLocaleTimeString('en-GB');
}

/** @type {(className: string) => HTMLTableElement} */
function table(className) {
  const made = element('table', '', className);
  made.append(element('thead'), element('tbody'));
  made.hidden = true;
  return made;
}

/**
 * Rows of cells, each a text, a smaller one below it, and a class; the newest goes on top.
 * @type {(made: HTMLTableElement, titles: readonly string[], rows: readonly Cell[][]) => void}
 */
function fill(made, titles, rows) {
  const head = element('tr');
  head.append(
    ...titles.map((title, column) => element('th', title, rows[0]?.[column]?.[2] === 'amount' ? 'amount' : '')),
  );
  $('thead', made).replaceChildren(head);
  $('tbody', made).replaceChildren(...rows.toReversed().map(drawnRow));
  made.hidden = rows.length === 0;
}

/** @type {(cells: readonly Cell[]) => HTMLElement} */
function drawnRow(cells) {
  const row = element('tr');
  for (const [text, below = '', className = ''] of cells) {
    const cell = element('td', text, className);
    if (below.trim() !== '') cell.append(element('small', below.trim()));
    row.append(cell);
  }
  return row;
}
