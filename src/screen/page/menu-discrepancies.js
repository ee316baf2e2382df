// The panel of a difference from the books of the bank, which only the bank can explain, and the action of its button.
import { back, facts, tile } from './menu-parts.js';
import { element } from './element.js';
import { grouped } from './money.js';
import { timeText } from './time.js';
/** @import { Actions, DiscrepancyActions, MatterParts, Places } from './menu-types.ts' */
/** @import { Body, DiscrepancyRow, Fact, OpenDiscrepancy, Words } from './types.ts' */

/** @type {Places<'discrepancy'>} */
export const discrepancyPlaces = {
  discrepancy({ discrepancy }, words, actions) {
    const settled = tile(
      'yes',
      words.menu.settledWithBank,
      () => actions.settleDiscrepancy(discrepancy),
      'settledWithBank',
    );
    return {
      title: words.menu.bank,
      hint: words.menu[`todo-${discrepancy.kind}`],
      panel: element(
        'div',
        { id: 'waits' },
        facts(rowsOf(discrepancy, words)),
        element('div', { class: 'tiles' }, settled),
      ),
      foot: [back(words, actions, actions.bank)],
    };
  },
};

/** @type {(parts: MatterParts, actions: () => Actions) => DiscrepancyActions} */
export function discrepancyActions({ go, sure, read, withConfirmation }, actions) {
  return {
    discrepancy: (discrepancy) => go({ place: 'discrepancy', discrepancy }),
    settleDiscrepancy(discrepancy) {
      const body = withConfirmation({ kind: 'settledWithBank', discrepancy: discrepancy.number });
      const done = () => go({ place: 'said', what: 'discrepancyDone', onBack: actions().bank });
      const text = (/** @type {Words} */ words) => discrepancyText(discrepancy, words);
      sure({
        what: 'discrepancy',
        text,
        onYes: () => read(body, done),
        onNo: () => actions().discrepancy(discrepancy),
      });
    },
  };
}

/** @type {(found: Body<'waiting'>['discrepancies']) => DiscrepancyRow[]} */
export function discrepancyRows(found) {
  return found.map((discrepancy) => ({
    id: `discrepancy ${discrepancy.number}`,
    message: 'discrepancy',
    kind: '',
    at: discrepancy.at,
    discrepancy,
    ...(discrepancy.kind === 'booksDiffer'
      ? { amount: discrepancy.sales.amount, currency: discrepancy.currency }
      : { amount: '', currency: '' }),
  }));
}

/** @type {(discrepancy: OpenDiscrepancy, words: Words) => string} */
export function discrepancyText(discrepancy, words) {
  const what = words.menu[`is-${discrepancy.kind}`];
  if (discrepancy.kind === 'journalRestored') return what;
  return `${what} · ${discrepancy.acquirer} · ${words.menu.batch.replace('{batch}', String(discrepancy.batch))}`;
}

/**
 * A host does not report its sums, so the bank must.
 * @type {(discrepancy: OpenDiscrepancy, words: Words) => Fact[]}
 */
function rowsOf(discrepancy, words) {
  const { at } = discrepancy;
  if (discrepancy.kind === 'journalRestored') {
    const { since } = discrepancy;
    return [
      [words.menu.missingFrom, since === '' ? '?' : dateOf(since)],
      [words.menu.missingTo, dateOf(at)],
    ];
  }
  const { acquirer, currency, sales, refunds, rejected } = discrepancy;
  /** @type {(label: string, sum: { readonly count: number, readonly amount: string }) => Fact} */
  const sum = (label, { count, amount }) => [`${label} (${count})`, `${currency} ${grouped(amount)}`];
  /** @type {(of: Exclude<typeof rejected, undefined>, part: (label: string) => string) => Fact[]} */
  const sums = (of, part) => [sum(part(words.menu.sales), of.sales), sum(part(words.kinds.REFUND), of.refunds)];
  const refused = (/** @type {string} */ label) => `${words.menu.rejectedByBank}: ${label}`;
  return [
    [`${acquirer} · ${words.menu.batch.replace('{batch}', String(discrepancy.batch))}`, dateOf(at)],
    ...sums({ sales, refunds }, (label) => label),
    ...(rejected ? sums(rejected, refused) : []),
  ];
}

/** @type {(at: string) => string} */
function dateOf(at) {
  return timeText(at, { day: '2-digit', month: '2-digit', hour: '2-digit', minute: '2-digit' });
}
