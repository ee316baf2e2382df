import { majorText } from '../base/domain/amount.ts';
import { contradictionText } from '../base/domain/contradicted-amount.ts';
import type { CurrencyCode } from '../base/domain/currency.ts';
import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { AdviceAnswered, JournalledOutcome } from '../payment/events/answer.ts';
import type { JournalEvent } from '../payment/events/event.ts';
import type { Intent } from '../payment/events/intent.ts';
import type { SettledBatch } from '../payment/events/settlement.ts';
import type { MonotonicClock } from '../base/ports/clock.ts';
import type { JournalWatcher } from '../payment/contracts/journal.ts';
import type { TerminalEvent, TerminalEvents } from '../payment/contracts/terminal-events.ts';
import { instrumentOf } from '../payment/records/payment.ts';
import type { Log, LogFields } from './log.ts';

/** The times of a running payment, kept until it has ended. Milliseconds of the monotonic clock. */
interface Underway {
  readonly startedMs: number;
  readonly currency: CurrencyCode;
  sentMs?: number;
  /** The customer was asked for a card or a code, and has given one. */
  asked?: true;
  presented?: true;
}

interface Line {
  readonly event: string;
  readonly fields?: LogFields;
  readonly isWarning?: boolean;
}

/**
 * The history of each transaction in the log: one line for each event, once the event is durable, with the id of the
 * transaction. Of the data that a host or a card sent, it has only the host's code and an amount that differs from the
 * terminal's.
 */
export class TransactionLog implements JournalWatcher, TerminalEvents {
  readonly #log: Pick<Log, 'info' | 'warn'>;
  readonly #clock: Pick<MonotonicClock, 'elapsedMs'>;
  readonly #underway = new Map<string, Underway>();

  constructor(log: Pick<Log, 'info' | 'warn'>, clock: Pick<MonotonicClock, 'elapsedMs'>) {
    this.#log = log;
    this.#clock = clock;
  }

  wrote(id: TerminalTransactionId, events: readonly JournalEvent[]): void {
    for (const event of events) {
      const line = this.#lineOf(id, event);
      if (line) this.#write(id, line);
    }
  }

  settled(id: TerminalTransactionId, results: readonly SettledBatch[]): void {
    for (const { acquirerId, batch, result, reason } of results) {
      const fields = { acquirerId, batch, state: result, ...(reason === undefined ? {} : { reason }) };
      this.#write(id, { event: 'settled', fields, isWarning: result === 'FAILED' });
    }
  }

  /**
   * The terminal's progress shows when the customer has presented a card or code: the journal records it only with the
   * intent.
   */
  emit({ state, terminalTransactionId: id }: Omit<TerminalEvent, 'at'>): void {
    const known = id === undefined ? undefined : this.#underway.get(id);
    if (id === undefined || known === undefined || known.presented) return;
    if (state === 'collecting') known.asked = true;
    if (state !== 'authorizing' || !known.asked) return;
    known.presented = true;
    this.#write(id, { event: 'presented', fields: { ms: this.#since(known.startedMs) } });
  }

  #write(terminalTransactionId: string, { event, fields, isWarning = false }: Line): void {
    const all = { terminalTransactionId, ...fields };
    if (isWarning) this.#log.warn(event, all);
    else this.#log.info(event, all);
  }

  #since(ms: number): number {
    return Math.round(this.#clock.elapsedMs() - ms);
  }

  #lineOf(id: TerminalTransactionId, event: JournalEvent): Line | undefined {
    const known = this.#underway.get(id);
    switch (event.kind) {
      case 'accepted': {
        const { type, currency, amountMinor, posId, messageId, originalId, merchantId } = event;
        this.#underway.set(id, { startedMs: this.#clock.elapsedMs(), currency });
        const amount = majorText({ minor: BigInt(amountMinor), currency });
        const original = originalId === undefined ? {} : { original: originalId };
        const merchant = merchantId === undefined ? {} : { merchantId };
        return { event: 'started', fields: { type, amount, currency, posId, messageId, ...merchant, ...original } };
      }
      case 'tipChosen':
        return known && { event: 'tip', fields: amountFields(event.tipMinor, known.currency) };
      case 'optionAnswered':
        return {
          event: 'option',
          fields: { ...(known && amountFields(event.addedMinor, known.currency)), type: event.name },
        };
      case 'intent':
        if (known) known.sentMs = this.#clock.elapsedMs();
        return { event: 'intent', fields: intentFields(event) };
      case 'answered': {
        const ms = known?.sentMs === undefined ? {} : { ms: this.#since(known.sentMs) };
        const isWarning = event.outcome.kind === 'unknown';
        return { event: 'answer', fields: { ...answerFields(event.outcome), ...ms }, isWarning };
      }
      case 'ended': {
        this.#underway.delete(id);
        const { outcome, result, reason, hostCode } = event;
        const why = {
          ...(reason === undefined ? {} : { reason }),
          ...(hostCode === undefined ? {} : { code: hostCode }),
        };
        const ms = known ? { ms: this.#since(known.startedMs) } : {};
        return { event: outcome, fields: { state: result, ...why, ...ms } };
      }
      default:
        return afterLine(event);
    }
  }
}

function amountFields(minor: string, currency: CurrencyCode): LogFields {
  return { amount: majorText({ minor: BigInt(minor), currency }), currency };
}

function intentFields(intent: Intent): LogFields {
  const { acquirerId, trace, operation } = intent;
  const { scheme, entryMode } = instrumentOf(intent);
  return { acquirerId, method: scheme, entryMode, operation, stan: trace.stan, batch: trace.batch };
}

function answerFields(outcome: JournalledOutcome): LogFields {
  const state = outcome.kind;
  switch (outcome.kind) {
    case 'approved':
      return { state, code: outcome.responseCode };
    case 'declined':
      return { state, code: outcome.responseCode, reason: outcome.reason };
    case 'unknown':
      return { state, reason: outcome.reason, ...(outcome.responseCode ? { code: outcome.responseCode } : {}) };
    case 'notSent':
      return { state, reason: outcome.reason };
    case 'offline':
      return { state };
    default:
      return outcome satisfies never;
  }
}

function adviceLine(event: Extract<JournalEvent, { kind: 'adviceAnswered' }>): Line {
  const fields = { state: event.answer, code: event.responseCode, ...adviceReason(event) };
  return { event: 'advice answered', fields, isWarning: event.answer === 'rejected' };
}

/** Events after the answer, perhaps days later. */
function afterLine(
  event: Exclude<JournalEvent, { kind: 'accepted' | 'tipChosen' | 'optionAnswered' | 'intent' | 'answered' | 'ended' }>,
): Line | undefined {
  switch (event.kind) {
    case 'reversalQueued':
      return { event: 'reversal queued', fields: { reason: event.reason }, isWarning: true };
    case 'reversalSent':
      return event.isAnswered ? undefined : { event: 'reversal sent', fields: { attempt: event.attempt } };
    case 'reversalAcknowledged':
      return { event: 'reversed', fields: { code: event.responseCode } };
    case 'hostRefused':
      return refusalLine(event);
    case 'setAside':
      return { event: 'set aside', fields: { state: event.outcome }, isWarning: true };
    case 'approvedLate':
      return { event: 'approved late', fields: { code: event.responseCode }, isWarning: true };
    case 'numberTaken':
      return { event: 'number taken', isWarning: true };
    case 'orderClosed':
      return {
        event: event.isOpen ? 'order open' : 'order closed',
        fields: { acquirerId: event.acquirerId, stan: event.stan },
      };
    case 'withdrawn':
      return { event: 'withdrawn' };
    case 'resolved':
      return { event: 'resolved' };
    case 'givenBackInCash':
      return { event: 'given back in cash', isWarning: true };
    case 'settledWithCustomer':
      return { event: 'settled with the customer', fields: { reason: event.matter }, isWarning: true };
    case 'cardCompleted':
      return {
        event: 'card completed',
        fields: { state: event.agreed ? 'agreed' : 'refused' },
        isWarning: !event.agreed,
      };
    case 'partlyApproved':
      return { event: 'approved in part', fields: { amount: event.amountMinor } };
    case 'signed':
      return { event: 'signed' };
    case 'adviceQueued':
      return { event: 'advice queued' };
    case 'adviceSent':
      return { event: 'advice sent', fields: { attempt: event.attempt } };
    case 'adviceAnswered':
      return adviceLine(event);
    case 'receiptPrinted':
      return { event: 'printed' };
    case 'receiptCutOff':
      return { event: 'receipt cut off', isWarning: true };
    // Enquired again and still closed, or a queued receipt: no change to log.
    case 'orderLookedAt':
    case 'receiptQueued':
      return undefined;
    default:
      return event satisfies never;
  }
}

function refusalLine({ responseCode, otherAmount }: Extract<JournalEvent, { kind: 'hostRefused' }>): Line {
  const reason = otherAmount ? { reason: contradictionText(otherAmount) } : {};
  return { event: 'host refused', fields: { code: responseCode, ...reason }, isWarning: true };
}

/** The reason of the answer. If the amounts differ, it gives both, because the bank has to be asked about them. */
function adviceReason({ reason, otherAmount }: AdviceAnswered): Pick<LogFields, 'reason'> {
  if (!otherAmount) return reason === undefined ? {} : { reason };
  return { reason: contradictionText(otherAmount) };
}
