// The panels for transactions and batches that wait for the bank, for the bank's answer by telephone, and for payments
// that must be returned.
import { discrepancyRows, discrepancyText } from './menu-discrepancies.js';
import { methodOf } from './menu-names.js';
import { back, facts, listPanel, priceOf, tile } from './menu-parts.js';
import { amountPad } from './menu-today.js';
import { element } from './element.js';
import { wordOf } from './label.js';
import { grouped } from './money.js';
import { timeText } from './time.js';
/** @import { Places } from './menu-types.ts' */
/** @import { BatchOutcome, Body, DiscrepancyRow, Fact, ExtraRow, MatterRow, OpenExtra, Outcome, Waiting, WaitingBatch, WaitingRow, Words } from './types.ts' */

/** @type {Places<'waiting' | 'batch' | 'waits' | 'partPosted' | 'extra'>} */
export const waitingPlaces = {
  waiting: (open, words, actions) =>
    listPanel(open, words, actions, {
      title: words.menu.bank,
      nothing: words.menu.nothingWaits,
      action: 'waits',
      row: (each) => [whatOf(each, words), dateOf(each)],
      price: priceOf,
      onChoose: (each) => {
        if (each.message === 'batch') return actions.batch(each);
        if (each.message === 'discrepancy') return actions.discrepancy(each.discrepancy);
        if (each.message === 'matter') return actions.matter(each);
        return each.message === 'extra' ? actions.extra(each) : actions.waits(each);
      },
    }),

  /**
   * A payment that arrived in addition to another one, or late. The operator returns it if its wallet can't refund it.
   */
  extra({ extra }, words, actions) {
    const list = facts([
      [whatOf({ ...extra, message: 'extra' }, words), priceOf(extra)],
      [methodOf(extra, words), dateOf(extra)],
      [words.menu.transaction, extra.id],
      [words.menu.ofTransaction, extra.ofTransaction],
    ]);
    const common = { title: words.menu.bank, foot: [back(words, actions, actions.bank)] };
    if (extra.state === 'beingReturned') return { ...common, hint: words.menu.walletReturns, panel: list };
    const given = tile('yes', words.menu.givenBackInCash, () => actions.giveBackSure(extra), 'givenBackInCash');
    const panel = element('div', { id: 'waits' }, list, element('div', { class: 'tiles' }, given));
    return { ...common, hint: words.menu.giveBack, panel };
  },

  /** A batch that its host refuses or has not settled: its sums, and the possible answers of the bank. */
  batch({ batch }, words, actions) {
    const { acquirer, attempts, reason, trouble, currency, sales, refunds, refusal } = batch;
    /** @type {(label: string, sum: { readonly count: number, readonly amount: string }) => Fact} */
    const sum = (label, { count, amount }) => [`${label} (${count})`, `${currency} ${grouped(amount)}`];
    /** @type {Fact[]} */
    const sums = [sum(words.menu.sales, sales), ...(refunds.count === 0 ? [] : [sum(words.kinds.REFUND, refunds)])];
    const list = facts([
      [batchName(batch, words), dateOf(batch)],
      ...sums,
      [acquirer, `${words.menu.tries} ${attempts}`],
      [words.menu.lastAnswer, wordOf(words.troubles, trouble) ?? (reason || words.menu.noAnswer)],
    ]);
    const common = { title: words.menu.bank, foot: [back(words, actions, actions.bank)] };
    if (refusal !== undefined) return { ...common, hint: words.menu[refusal], panel: list };
    /** @type {(outcome: BatchOutcome, drawing: string) => HTMLElement} */
    const said = (outcome, drawing) =>
      tile(drawing, words.menu[`${outcome}-batch`], () => actions.decidedBatch(batch, outcome), outcome);
    const tiles = element('div', { class: 'tiles' }, said('SETTLED', 'yes'), said('NOT_SETTLED', 'no'));
    return { ...common, hint: words.menu.callBank, panel: element('div', { id: 'waits' }, list, tiles) };
  },

  /** The data that the bank asks for, and its possible answers. */
  waits({ transaction }, words, actions) {
    const { id, acquirer, trace, attempts, responseCode, answeredAmount = '', refusal } = transaction;
    const answer = responseCode === '' ? words.menu.noAnswer : responseCode;
    /** @type {Fact[]} */
    const rows = [
      [whatOf(transaction, words), priceOf(transaction) || dateOf(transaction)],
      [methodOf(transaction, words), dateOf(transaction)],
      [words.menu.transaction, id],
      [acquirer, trace === '' ? '' : words.menu.trace.replace('{trace}', trace)],
      [words.menu.tries, String(attempts)],
      [words.menu.lastAnswer, answer],
      [answeredAmount === '' ? '' : words.menu.answeredAmount, answeredAmount],
    ];
    const list = facts(rows.filter(([label]) => label !== ''));
    const common = { title: words.menu.bank, foot: [back(words, actions, actions.bank)] };
    if (refusal !== undefined) return { ...common, hint: words.menu[refusal], panel: list };
    /** @type {(outcome: Outcome, drawing: string) => HTMLElement} */
    const said = (outcome, drawing) =>
      tile(
        drawing,
        words.menu[`${outcome}-${sortOf(transaction)}`],
        () => actions.decided(transaction, outcome),
        outcome,
      );
    const part = tile('CASH', words.menu['POSTED-part'], () => actions.partPosted(transaction), 'POSTED-part');
    const tiles = [said('POSTED', 'yes'), ...(transaction.mayBePart ? [part] : []), said('NOT_POSTED', 'no')];
    const panel = element('div', { id: 'waits' }, list, element('div', { class: 'tiles' }, ...tiles));
    return { ...common, hint: words.menu.callBank, panel };
  },

  /** The amount of a sale that the bank has charged, if that is a part. */
  partPosted({ transaction, entry }, words, actions) {
    const text = [methodOf(transaction, words), priceOf(transaction)].join(' · ');
    return {
      title: words.menu['POSTED-part'],
      hint: text,
      panel: amountPad(transaction, words, entry, (amount) => actions.decided(transaction, 'POSTED', amount)),
      foot: [back(words, actions, () => actions.waits(transaction))],
    };
  },
};

/**
 * The chosen transaction, for the confirmation question. `amount`: the part that the bank has charged.
 * @type {(transaction: Waiting, outcome: Outcome, words: Words, amount?: string) => string}
 */
export function decidedText(transaction, outcome, words, amount = transaction.amount) {
  const said = words.menu.bankSaid.replace('{said}', words.menu[`${outcome}-${sortOf(transaction)}`]);
  return [said, methodOf(transaction, words), priceOf({ ...transaction, amount })].filter(Boolean).join(' · ');
}

/**
 * The chosen batch, for the confirmation question.
 * @type {(batch: WaitingBatch, outcome: BatchOutcome, words: Words) => string}
 */
export function decidedBatchText(batch, outcome, words) {
  const said = words.menu.bankSaid.replace('{said}', words.menu[`${outcome}-batch`]);
  return [said, batch.acquirer, batchName(batch, words), salesOf(batch)].join(' · ');
}

/**
 * The chosen payment, for the confirmation question.
 * @type {(extra: OpenExtra, words: Words) => string}
 */
export function giveBackText(extra, words) {
  return [methodOf(extra, words), priceOf(extra)].join(' · ');
}

/**
 * Everything that waits, in one list. Each currency of a batch has its own row.
 * @type {(body: Body<'waiting'>) => (Waiting | WaitingRow | ExtraRow | MatterRow | DiscrepancyRow)[]}
 */
export function waitingRows({ transactions, batches, extraPayments, customerMatters, discrepancies }) {
  const matters = customerMatters.map((each) => ({ ...each, message: /** @type {const} */ ('matter') }));
  const extras = extraPayments.map((each) => ({ ...each, message: /** @type {const} */ ('extra') }));
  const rows = batches.map((each) => ({
    ...each,
    id: [each.acquirer, each.batch, each.currency].join(' '),
    message: /** @type {const} */ ('batch'),
    kind: /** @type {const} */ (''),
    amount: each.sales.amount,
  }));
  return [...extras, ...matters, ...discrepancyRows(discrepancies), ...rows, ...transactions];
}

/** @type {(batch: WaitingBatch) => string} */
function salesOf({ currency, sales }) {
  return `${currency} ${grouped(sales.amount)}`;
}

/** @type {(batch: { readonly batch: number }, words: Words) => string} */
function batchName({ batch }, words) {
  return words.menu.batch.replace('{batch}', String(batch));
}

/**
 * Charge, refund or void: the bank's possible answers differ.
 * @type {(of: Waiting) => 'unreadable' | 'refund' | 'void' | 'charge'}
 */
function sortOf({ kind, message }) {
  if (message === 'unreadable') return 'unreadable';
  if (kind === 'REFUND') return 'refund';
  return kind.startsWith('VOID_') ? 'void' : 'charge';
}

/** @type {(row: Waiting | WaitingRow | ExtraRow | MatterRow | DiscrepancyRow, words: Words) => string} */
function whatOf(row, words) {
  if (row.message === 'batch') return `${row.acquirer} · ${batchName(row, words)}`;
  if (row.message === 'extra') return words.menu[`is-${row.state}`];
  if (row.message === 'discrepancy') return discrepancyText(row.discrepancy, words);
  if (row.message === 'matter') return words.menu[`is-${row.matter}`];
  return [words.menu[`is-${row.message}`], wordOf(words.kinds, row.kind) ?? ''].filter(Boolean).join(' · ');
}

/**
 * With its date, because it may have waited for days.
 * @type {(of: { readonly at: string }) => string}
 */
function dateOf({ at }) {
  return timeText(at, { day: '2-digit', month: '2-digit', hour: '2-digit', minute: '2-digit' });
}
