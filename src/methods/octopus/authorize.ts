import type { DeclineReason } from '../../base/domain/decline-reason.ts';
import type { JournalEvent } from '../../payment/events/event.ts';
import { bareApproval, type JournalledOutcome } from '../../payment/events/answer.ts';
import type { Intent } from '../../payment/events/intent.ts';
import type { OctopusIntent } from './contract.ts';
import type { OctopusCard, OctopusDeduction, OctopusReader } from '../../base/ports/octopus-reader.ts';
import { conclusionEvents, receiptEvents, conclusionOf, localDecline } from '../../payment/transaction/decide.ts';
import { failure } from '../../payment/events/conclusion.ts';
import type { Authorization } from '../../payment/transaction/machine.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import { pause, TimeLimit } from '../../base/ports/pause.ts';
import { selectAcquirer } from '../../payment/method/methods.ts';
import type { Order } from '../../payment/method/order.ts';
import type { OctopusParts } from './parts.ts';
import { commitConclusion, commitAnswer } from '../../payment/method/commit-answer.ts';

/**
 * Deducts from the card that was just read. There is no host and no reversal. An incomplete deduction waits for the
 * same card, and can't be cancelled. Rejects only if the intent could not be written.
 */
export async function authorizeOctopus(order: Order, card: OctopusCard, parts: OctopusParts): Promise<Authorization> {
  const { journal, octopus: reader } = parts;
  const { id, amount } = order;
  const acquirerId = selectAcquirer(order, 'OCTOPUS')?.id;
  if (!acquirerId)
    return commitConclusion(order, localDecline('notAccepted', 'no Octopus acquirer accepts this payment'), journal);
  const draft = {
    operation: 'sale',
    acquirerId,
    mid: '',
    tid: '',
    octopus: {
      maskedNumber: lastFour(card.cardId),
      ...(reader.deviceId === undefined ? {} : { deviceId: reader.deviceId }),
    },
  } as const satisfies Omit<OctopusIntent, 'kind' | 'trace'>;
  const trace = await journal.intend(id, draft);
  const { deviceId } = draft.octopus;
  const deduct = { amountMinor: amount.minor, cardId: card.cardId, reference: octopusReference(id, trace), deviceId };
  const deduction = await new Deducting(deduct, reader, parts).run();
  const commit = (outcome: JournalledOutcome, conclusion = conclusionOf(outcome)) =>
    commitAnswer(order, outcome, journal, conclusion, unwrittenDeduction);
  switch (deduction.kind) {
    case 'deducted':
      return commit(deductedOutcome(deduction));
    case 'insufficient':
      return commit(insufficient(deduction), localDecline('insufficientValue', 'insufficient value'));
    case 'refused': {
      const message = `this Octopus card can't be used (code ${deduction.code})`;
      return commit(declinedOutcome(deduction.reason, deduction.code), localDecline('cardUnusable', message));
    }
    case 'otherCard':
    case 'tryAgain':
      return journal.append(id, [{ kind: 'withdrawn' }]).then(
        () => ({ kind: 'again', hint: 'presentAgain' }) as const,
        // The intent stays in the journal; recovery finds out that nothing was deducted.
        () => ({ kind: 'unknown', conclusion: unwrittenDeduction }) as const,
      );
    case 'incomplete':
    case 'unknown':
      return commitAnswer(
        order,
        { kind: 'unknown', reason: deduction.kind, ...responseCodeOf(deduction) },
        journal,
        unknownYet,
        unwrittenDeduction,
        // A slip for the staff: the value may have been deducted.
        receiptEvents(order.printsReceipt),
      );
    default:
      return deduction satisfies never;
  }
}

/** One deduction, repeated until its outcome is known or the time limit is over. */
class Deducting {
  readonly #order: Parameters<OctopusReader['deduct']>[0];
  readonly #reader: OctopusReader;
  readonly #parts: OctopusParts;
  /** The library's code for the incomplete deduction; 0 before it gave one. */
  #incomplete = 0;

  constructor(order: Parameters<OctopusReader['deduct']>[0], reader: OctopusReader, parts: OctopusParts) {
    this.#order = order;
    this.#reader = reader;
    this.#parts = parts;
  }

  async run(): Promise<OctopusDeduction> {
    const { clock, waits } = this.#parts;
    let deduction = await this.#first();
    const limits: Partial<Record<'incomplete' | 'unknown', TimeLimit>> = {};
    try {
      while (deduction.kind === 'incomplete' || deduction.kind === 'unknown') {
        if (deduction.kind === 'incomplete') this.#incomplete = deduction.code;
        const { kind } = deduction;
        limits.incomplete ??= new TimeLimit(waits.octopusIncompleteMs - waits.octopusRetryMs, clock);
        // A reader that does not answer has its own, shorter limit: no card can help there.
        if (kind === 'unknown') limits.unknown ??= new TimeLimit(waits.octopusSilentMs - waits.octopusRetryMs, clock);
        this.#parts.progress('sameOctopusCard', 'tapOctopus');
        if (limits.incomplete.isOver || (kind === 'unknown' && limits.unknown?.isOver)) return this.#last(deduction);
        await pause(waits.octopusRetryMs, clock);
        deduction = kind === 'unknown' ? await this.#find() : await this.#again();
      }
      return deduction;
    } finally {
      for (const limit of Object.values(limits)) limit.end();
    }
  }

  /**
   * A read error may come after the deduction. The next deduction has another reference, so the end of this one is
   * proved first.
   */
  async #first(): Promise<OctopusDeduction> {
    const deduction = await this.#reader.deduct(this.#order);
    return isPassedBy(deduction) ? this.#find() : deduction;
  }

  /**
   * Repeats the deduction with the same reference. Until the same card is back, another card or an empty reader proves
   * nothing. A refusal proves nothing either while the reader has the deduction on record.
   */
  async #again(): Promise<OctopusDeduction> {
    const deduction = await this.#reader.deduct(this.#order);
    if (isPassedBy(deduction)) return { kind: 'incomplete', code: this.#incomplete };
    if (deduction.kind !== 'refused' && deduction.kind !== 'insufficient') return deduction;
    const found = await this.#find();
    return found.kind === 'tryAgain' ? deduction : found;
  }

  async #find(): Promise<OctopusDeduction> {
    const finding = await this.#reader.find(this.#order.reference, this.#order.deviceId);
    switch (finding.kind) {
      case 'deducted':
        return finding;
      case 'none':
        return { kind: 'tryAgain', code: 0 };
      case 'incomplete':
        return { kind: 'incomplete', code: this.#incomplete };
      case 'otherReader':
      case 'unanswered':
        return { kind: 'unknown' };
      default:
        return finding satisfies never;
    }
  }

  /** The time limit is over: asks the reader a last time, and keeps the earlier outcome if it does not know. */
  async #last(deduction: OctopusDeduction): Promise<OctopusDeduction> {
    const found = await this.#find();
    return found.kind === 'unknown' ? deduction : found;
  }
}

/** Whether the outcome proves nothing about the deduction itself: another card was read, or none could be. */
function isPassedBy({ kind }: OctopusDeduction): boolean {
  return kind === 'otherCard' || kind === 'tryAgain';
}

/** The reference that permanently identifies this deduction at the reader. */
export function octopusReference(id: TransactionRecord['id'], { stan }: { readonly stan: number }): string {
  return `${id}-${stan}`;
}

/** The reader that was asked to deduct; undefined if it is not known. */
export function readerOf(intent: Intent): string | undefined {
  return 'octopus' in intent ? intent.octopus.deviceId : undefined;
}

const unknownYet = failure(
  'UNKNOWN',
  'octopusUnknown',
  'the Octopus deduction is incomplete and the card did not come back: enquire, and do not void the sale',
);

/** No reversal follows, so the message must not promise one: the merchant would charge the customer twice. */
const unwrittenDeduction = failure(
  'UNKNOWN',
  'outcomeUnknown',
  'the outcome of the Octopus deduction could not be stored: enquire before you charge again',
);

/**
 * Asks the reader for the outcome of an unknown deduction. Returns the events that conclude it, or undefined to ask
 * again later.
 */
export async function resolveOctopus(
  { id, intent }: TransactionRecord,
  reader: Pick<OctopusReader, 'find'>,
  printsReceipt: boolean,
): Promise<readonly JournalEvent[] | undefined> {
  if (!intent) return undefined;
  const finding = await reader.find(octopusReference(id, intent.trace), readerOf(intent));
  switch (finding.kind) {
    case 'deducted': {
      return [...conclusionEvents(deductedOutcome(finding), { printsReceipt }), { kind: 'resolved' }];
    }
    case 'none': {
      const conclusion = failure('ERROR', 'nothingDeducted', 'nothing was deducted');
      return [...conclusionEvents(nothingDeducted, { printsReceipt, conclusion }), { kind: 'resolved' }];
    }
    case 'incomplete':
    case 'otherReader':
    case 'unanswered':
      return undefined;
    default:
      return finding satisfies never;
  }
}

const nothingDeducted = { kind: 'notSent', reason: 'not-deducted' } as const;

function deductedOutcome({ card, receipt: rrn }: { card: OctopusCard; receipt: string }): JournalledOutcome {
  const balanceMinor = card.balanceMinor.toString();
  return { ...bareApproval, rrn, balanceMinor };
}

function insufficient({ code, balanceMinor }: Extract<OctopusDeduction, { kind: 'insufficient' }>): JournalledOutcome {
  return { ...declinedOutcome('insufficientValue', code), balanceMinor: balanceMinor.toString() };
}

function declinedOutcome(reason: DeclineReason, code: number) {
  return { kind: 'declined', reason, responseCode: String(code), rrn: '' } as const;
}

/** Codes of the library are not 0: 0 means that the terminal itself reached this conclusion. */
function responseCodeOf(deduction: OctopusDeduction): { readonly responseCode?: string } {
  const code = deduction.kind === 'incomplete' ? deduction.code : 0;
  return code === 0 ? {} : { responseCode: String(code) };
}

function lastFour(cardId: string): string {
  return cardId.slice(-4).padStart(cardId.length, '*');
}
