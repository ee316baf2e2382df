// The panels for transactions and batches that wait for the bank, and for the bank's answer by telephone.
import { methodOf } from './desk-names.js';
import { back, facts, listPanel, priceOf, tile } from './desk-parts.js';
import { element } from './element.js';
import { grouped } from './money.js';

export const waitingPlaces = {
  waiting: (open, words, actions) =>
    listPanel(open, words, actions, {
      title: words.desk.bank,
      nothing: words.desk.nothingWaits,
      action: 'waits',
      row: (each) => [whatOf(each, words), dateOf(each)],
      onChoose: (each) => (each.message === 'batch' ? actions.batch(each) : actions.waits(each)),
    }),

  /** A batch that its host refuses or has not settled: its sums, and the possible answers of the bank. */
  batch({ batch }, words, actions) {
    const { acquirer, attempts, reason, trouble, currency, sales, refunds, refusal } = batch;
    const sum = (label, { count, amount }) => [`${label} (${count})`, `${currency} ${grouped(amount)}`];
    const sums = [sum(words.desk.sales, sales), ...(refunds.count === 0 ? [] : [sum(words.kinds.REFUND, refunds)])];
    const list = facts([
      [batchName(batch, words), dateOf(batch)],
      ...sums,
      [acquirer, `${words.desk.tries} ${attempts}`],
      [words.desk.lastAnswer, words.troubles[trouble] ?? (reason || words.desk.noAnswer)],
    ]);
    const common = { title: words.desk.bank, foot: [back(words, actions, actions.bank)] };
    if (refusal !== undefined) return { ...common, hint: words.desk[refusal], panel: list };
    const said = (outcome, drawing) =>
      tile(drawing, words.desk[`${outcome}-batch`], () => actions.toldBatch(batch, outcome), outcome);
    const tiles = element('div', { class: 'tiles' }, said('SETTLED', 'yes'), said('NOT_SETTLED', 'no'));
    return { ...common, hint: words.desk.callBank, panel: element('div', { id: 'waits' }, list, tiles) };
  },

  /** The data that the bank asks for, and its possible answers. */
  waits({ transaction }, words, actions) {
    const { id, acquirer, trace, attempts, responseCode, refusal } = transaction;
    const answer = responseCode === '' ? words.desk.noAnswer : responseCode;
    const rows = [
      [whatOf(transaction, words), priceOf(transaction) || dateOf(transaction)],
      [methodOf(transaction, words), dateOf(transaction)],
      [words.desk.transaction, id],
      [acquirer, trace === '' ? '' : words.desk.trace.replace('{trace}', trace)],
      [words.desk.tries, String(attempts)],
      [words.desk.lastAnswer, answer],
    ];
    const list = facts(rows.filter(([label]) => label !== ''));
    const common = { title: words.desk.bank, foot: [back(words, actions, actions.bank)] };
    if (refusal !== undefined) return { ...common, hint: words.desk[refusal], panel: list };
    const said = (outcome, drawing) =>
      tile(drawing, words.desk[`${outcome}-${sortOf(transaction)}`], () => actions.told(transaction, outcome), outcome);
    const tiles = element('div', { class: 'tiles' }, said('POSTED', 'yes'), said('NOT_POSTED', 'no'));
    return { ...common, hint: words.desk.callBank, panel: element('div', { id: 'waits' }, list, tiles) };
  },
};

/** The chosen transaction, for the confirmation question. */
export function toldText(transaction, outcome, words) {
  const said = words.desk.bankSaid.replace('{said}', words.desk[`${outcome}-${sortOf(transaction)}`]);
  return [said, methodOf(transaction, words), priceOf(transaction)].filter(Boolean).join(' · ');
}

/** The chosen batch, for the confirmation question. */
export function toldBatchText(batch, outcome, words) {
  const said = words.desk.bankSaid.replace('{said}', words.desk[`${outcome}-batch`]);
  return [said, batch.acquirer, batchName(batch, words), salesOf(batch)].join(' · ');
}

/** Everything that waits, in one list. Each currency of a batch has its own row. */
export function waitingRows({ transactions, batches }) {
  const rows = batches.map((each) => ({
    ...each,
    id: [each.acquirer, each.batch, each.currency].join(' '),
    message: 'batch',
    kind: '',
    amount: each.sales.amount,
  }));
  return [...rows, ...transactions];
}

function salesOf({ currency, sales }) {
  return `${currency} ${grouped(sales.amount)}`;
}

function batchName({ batch }, words) {
  return words.desk.batch.replace('{batch}', String(batch));
}

/** Charge, refund or void: the bank's possible answers differ. */
function sortOf({ kind, message }) {
  if (message === 'unreadable') return 'unreadable';
  if (kind === 'REFUND') return 'refund';
  return kind.startsWith('VOID_') ? 'void' : 'charge';
}

function whatOf({ message, kind, acquirer, ...more }, words) {
  if (message === 'batch') return `${acquirer} · ${batchName(more, words)}`;
  return [words.desk[`is-${message}`], words.kinds[kind] ?? ''].filter(Boolean).join(' · ');
}

/** With its date, because it may have waited for days. */
function dateOf({ at }) {
  const parts = { day: '2-digit', month: '2-digit', hour: '2-digit', minute: '2-digit' };
  return new Date(at).toLocaleString('en-GB', parts).replace(',', '');
}
