import { majorText } from '../../src/base/domain/amount.ts';
import type { CurrencyCode } from '../../src/base/domain/currency.ts';
import type { TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { MenuPort } from '../../src/payment/contracts/operator-menu.ts';
import { short } from './disk.ts';
import type { Ledger, ListedBatch } from './ledger.ts';
import type { Log } from './log.ts';
import { wordOf } from './pos-answer.ts';

interface Listed {
  readonly id: TerminalTransactionId;
  readonly acquirer: string;
  readonly message: string;
  readonly responseCode: string;
  readonly refusal?: string;
  readonly amount: string;
  readonly currency: CurrencyCode | '';
  readonly mayBePart?: true;
}

/** Field 39 of a duplicate trace number. */
const alreadyThere = '94';

/** The operator: asks the bank by telephone, which looks into its books, and enters its word at the terminal. */
export class Operator {
  /** What was settled by telephone. */
  readonly decided = new Map<TerminalTransactionId, 'POSTED' | 'NOT_POSTED'>();
  /** A bank gives no answer while a message may still be on its way to it. */
  isQuiet: (acquirer: string) => boolean = () => true;
  /**
   * Whether this bank answers at once, by its present books, although a reversal or an advice that is still on its way
   * may change them.
   */
  isHasty: (acquirer: string) => boolean = () => false;
  /** Answers of the Octopus company. */
  onDecided: (id: TerminalTransactionId) => void = () => undefined;
  /** Called if the menu asks about an advice that its host says it has. */
  onNeedless: (id: TerminalTransactionId) => void = () => undefined;
  /** The terminal has asked to settle first, and to decide again then. */
  mustSettle = false;
  readonly #ledger: Ledger;
  readonly #log: Log;

  constructor(ledger: Ledger, log: Log) {
    this.#ledger = ledger;
    this.#log = log;
  }

  /** The menu's entries that wait for a bank. */
  async looks(menu: MenuPort): Promise<readonly Listed[]> {
    const session = await login(menu);
    if (session === undefined) return [];
    const { body } = await menu.handle({ kind: 'waiting', session });
    return (body['transactions'] ?? []) as readonly Listed[];
  }

  /** Decides everything that may be decided. */
  async acts(menu: MenuPort): Promise<void> {
    this.mustSettle = false;
    for (const listed of await this.looks(menu)) {
      const { id, acquirer, message, responseCode, refusal } = listed;
      if (refusal !== undefined || !this.#answers(acquirer)) continue;
      const session = await login(menu);
      if (!this.#answers(acquirer) || session === undefined) continue;
      if (!this.isQuiet(acquirer)) this.#log.counted('operator decides by the books of the moment');
      const before = this.decided.get(id);
      const outcome = this.#ledger.took(id) ? 'POSTED' : 'NOT_POSTED';
      if (message === 'advice' && responseCode === alreadyThere && outcome === 'POSTED') this.onNeedless(id);
      // A process that ended before it could answer may have written it.
      this.decided.set(id, outcome);
      // The bank keeps to its answer, even if the process ends meanwhile.
      this.onDecided(id);
      const part = outcome === 'POSTED' ? this.#partOf(listed) : {};
      const { status, body } = await menu.handle({ kind: 'setAside', session, transaction: id, outcome, ...part });
      const reason = status === 200 ? 'done' : wordOf(body['reason']);
      this.#log.counted(
        'operator decides',
        `operator: the bank says ${outcome} of the ${message} of ${short(id)}: ${reason}`,
      );
      // If the journal failed, it may be written all the same.
      if (status !== 409) continue;
      if (body['reason'] === 'batchFull') this.mustSettle = true;
      if (before) this.decided.set(id, before);
      else this.decided.delete(id);
    }
    await this.#settles(menu);
    await this.#compares(menu);
  }

  /** The bank also states the amount that it has charged, if it is a part of the payment. */
  #partOf({ id, amount, currency, mayBePart }: Listed): { readonly amount?: string } {
    const minor = this.#ledger.soldMinor(id);
    if (!mayBePart || minor === undefined || currency === '') return {};
    const part = majorText({ minor, currency });
    if (part === amount) return {};
    this.#log.counted('operator enters a part');
    return { amount: part };
  }

  /** Settles with the banks what differs from their books. */
  async #compares(menu: MenuPort): Promise<void> {
    const session = await login(menu);
    if (session === undefined) return;
    const { body } = await menu.handle({ kind: 'waiting', session });
    for (const { kind, number } of (body['discrepancies'] ?? []) as readonly { kind: string; number: number }[]) {
      const session = await login(menu);
      if (session === undefined) return;
      const confirmation = number.toString(16).padStart(32, '0');
      const decision = { kind: 'settledWithBank', session, confirmation, discrepancy: number };
      const { status, body: answer } = await menu.handle(decision);
      const reason = status === 200 ? 'done' : wordOf(answer['reason']);
      this.#log.counted('operator settles with the bank', `operator: ${kind} ${number} is settled: ${reason}`);
    }
  }

  #answers(acquirer: string): boolean {
    return this.isHasty(acquirer) || this.isQuiet(acquirer);
  }

  async #settles(menu: MenuPort): Promise<void> {
    const session = await login(menu);
    if (session === undefined) return;
    const { body } = await menu.handle({ kind: 'waiting', session });
    for (const each of (body['batches'] ?? []) as readonly ListedBatch[]) {
      const session = await login(menu);
      const { acquirer, batch, currency } = each;
      if (each.refusal !== undefined || !this.isQuiet(acquirer) || session === undefined) continue;
      const outcome = this.#ledger.settled(each) ? 'SETTLED' : 'NOT_SETTLED';
      const decision = { kind: 'decideBatch', session, acquirer, batch, currency, outcome };
      const { status, body: answer } = await menu.handle(decision);
      const reason = status === 200 ? 'done' : wordOf(answer['reason']);
      this.#log.counted(
        'operator decides a batch',
        `operator: the bank says ${outcome} of batch ${batch} ${currency} of ${acquirer}: ${reason}`,
      );
    }
  }
}

async function login(menu: MenuPort): Promise<string | undefined> {
  const { body } = await menu.handle({ kind: 'login', password: '123456' });
  return body['session'] as string | undefined;
}
