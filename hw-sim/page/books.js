import { get } from './call.js';
import { $, element, show } from './element.js';
import { majorText } from './money.js';
import { onceMore } from './once-more.js';
import { walletName } from './phones.js';

const rowsMax = 20;

/** Large books take long to load: the more rows, the longer the pause before the next load. */
const pauseMsPerRow = 0.5;
const pauseMsMin = 200;

const rowOf = { cards: cardsRow, wallets: walletsRow, octopus: octopusRow };

/** The books of one host: a table that is fetched only when `look` is called with another key than before. */
export function makeBooks(paths, kind) {
  const box = element('div', '', 'books');
  const [ledger, settlements] = [table('ledger'), table('settlements')];
  const note = element('p', 'Nothing booked', 'nothing');
  box.append(ledger, note, settlements);
  let rows = 0;
  const fetchAll = onceMore(
    async () => {
      const [entries, batches] = [await get(paths.ledger), paths.settlements ? await get(paths.settlements) : []];
      rows = entries?.length ?? 0;
      if (entries) fill(ledger, ['Time', 'What', 'Amount', 'Status'], entries.slice(-rowsMax).map(rowOf[kind]));
      if (batches) fill(settlements, ['Batch', 'Sales', 'Refunds', 'Result'], batches.slice(-rowsMax).map(batchRow));
      const older = rows - rowsMax;
      show(note, rows === 0 ? 'Nothing booked' : older > 0 ? `and ${older} older` : '');
    },
    () => Math.max(pauseMsMin, rows * pauseMsPerRow),
  );
  let seen;
  const look = (key) => {
    if (key === seen) return;
    seen = key;
    void fetchAll();
  };
  return { box, look };
}

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
      [batch === null ? '' : `batch ${batch}`, reversals > 1 ? `reversed ×${reversals}` : ''].join(' '),
      status,
    ],
  ];
}

function walletsRow({ at, kind, wallet, tradeNo, amount, currency, status, respcd, refundedMinor }) {
  return [
    [time(at)],
    [`${words(kind)} ${walletName(wallet)}`, tradeNo],
    [`${currency} ${amount}`, refundedMinor === undefined ? '' : `back ${majorText(refundedMinor)}`, 'amount'],
    [words(status), respcd, status],
  ];
}

function octopusRow({ at, cardId, reference, amountMinor, status, receipt, uploaded }) {
  return [
    [time(at)],
    [`Card ${cardId}`, receipt ?? reference],
    [`HKD ${majorText(amountMinor)}`, '', 'amount'],
    [words(status), uploaded ? 'handed over' : '', status],
  ];
}

/** If the two sides differ, both are shown: the terminal's, then the host's. */
function batchRow({ batch, currency, terminal, host, uploaded, differences, result }) {
  const both = (kind) => {
    const [claimed, booked] = [terminal[kind], host[kind]].map(({ count, amount }) => `${count} × ${amount}`);
    return [claimed, claimed === booked ? '' : `host ${booked}`, 'amount'];
  };
  const more = [uploaded && `${uploaded} uploaded`, differences.length && `${differences.length} differ`].filter(
    Boolean,
  );
  return [[`${batch} ${currency}`], both('sales'), both('refunds'), [words(result), more.join(', '), result]];
}

function sum(name, amount) {
  return amount === undefined || /^[0.]*$/.test(amount) ? '' : `${name} ${amount}`;
}

function words(name) {
  const text = name.replaceAll('_', ' ').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function time(at) {
  return new Date(at).toLocaleTimeString('en-GB');
}

function table(className) {
  const made = element('table', '', className);
  made.append(element('thead'), element('tbody'));
  made.hidden = true;
  return made;
}

/** Rows of cells, each a text, a smaller one below it, and a class; the newest goes on top. */
function fill(made, titles, rows) {
  const head = element('tr');
  head.append(
    ...titles.map((title, column) => element('th', title, rows[0]?.[column]?.[2] === 'amount' ? 'amount' : '')),
  );
  $('thead', made).replaceChildren(head);
  $('tbody', made).replaceChildren(...rows.toReversed().map(drawnRow));
  made.hidden = rows.length === 0;
}

function drawnRow(cells) {
  const row = element('tr');
  for (const [text, below = '', className = ''] of cells) {
    const cell = element('td', text, className);
    if (below.trim() !== '') cell.append(element('small', below.trim()));
    row.append(cell);
  }
  return row;
}
