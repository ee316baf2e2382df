import type { DeclineReason } from '../../domain/decline-reason.ts';
import type { JournalEvent } from '../../events/event.ts';
import { bareApproval, type JournalledOutcome } from '../../events/answer.ts';
import type { OctopusIntent } from '../../events/intent.ts';
import type { OctopusCard, OctopusDeduction, OctopusReader } from '../../ports/octopus-reader.ts';
import { conclusionOf, localDecline } from '../../transaction/decide.ts';
import { failure } from '../../events/conclusion.ts';
import type { Authorization } from '../../transaction/machine.ts';
import type { TransactionRecord } from '../../records/record.ts';
import { pause, TimeLimit } from '../../ports/pause.ts';
import { selectAcquirer } from '../acquirer-choice.ts';
import type { Order } from '../order.ts';
import type { OctopusParts } from './parts.ts';
import { commitConclusion, receipt, commitAnswer } from '../commit-answer.ts';

/**
 * Value from the card that was just seen. There is no host and no way back: a deduction that is incomplete waits for the same card, and nobody can cancel it away. Rejects only when the intent could not be written.
 */
export async function authorizeOctopus(order: Order, card: OctopusCard, parts: OctopusParts): Promise<Authorization> {
  const { journal, octopus: reader } = parts;
  const { id, amount } = order;
  const acquirerId = selectAcquirer(order, 'OCTOPUS')?.id;
  if (!acquirerId) return commitConclusion(order, localDecline('no Octopus reader here takes it'), journal);
  const draft = {
    operation: 'sale',
    acquirerId,
    mid: '',
    tid: '',
    octopus: { maskedNumber: lastFour(card.cardId) },
  } as const satisfies Omit<OctopusIntent, 'kind' | 'trace'>;
  const trace = await journal.intend(id, draft);
  const deduct = { amountMinor: amount.minor, cardId: card.cardId, reference: octopusReference(id, trace) };
  const deduction = await new Deducting(deduct, reader, parts).run();
  switch (deduction.kind) {
    case 'deducted': {
      const outcome = deductedOutcome(deduction);
      return commitAnswer(order, outcome, journal, conclusionOf(outcome), unwrittenDeduction);
    }
    case 'insufficient':
      return commitAnswer(
        order,
        insufficient(deduction),
        journal,
        localDecline('insufficient value'),
        unwrittenDeduction,
      );
    case 'refused': {
      const message = `this Octopus card can't be used (code ${deduction.code})`;
      return commitAnswer(
        order,
        declinedOutcome(deduction.reason, deduction.code),
        journal,
        localDecline(message),
        unwrittenDeduction,
      );
    }
    case 'otherCard':
    case 'tryAgain':
      return journal.append(id, [{ kind: 'withdrawn' }]).then(
        () => ({ kind: 'again', hint: 'presentAgain' }) as const,
        // The intent stands: it is found out that nothing was deducted.
        () => ({ kind: 'unknown', conclusion: unwrittenDeduction }) as const,
      );
    case 'incomplete':
    case 'unknown':
      return commitAnswer(
        order,
        { kind: 'unknown', reason: deduction.kind },
        journal,
        unknownYet,
        unwrittenDeduction,
        // A slip for the staff: it may have been taken.
        receipt(order),
      );
    default:
      return deduction satisfies never;
  }
}

/** One deduction until it is known what became of it, or the card has had its time. */
class Deducting {
  readonly #order: Parameters<OctopusReader['deduct']>[0];
  readonly #reader: OctopusReader;
  readonly #parts: OctopusParts;

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
        const { kind } = deduction;
        limits.incomplete ??= new TimeLimit(waits.octopusIncompleteMs - waits.octopusRetryMs, clock);
        // A card that is held to a reader that says nothing changes nothing.
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

  /** A read error may come after the value was taken. The next deduction has another reference, so this one's end is proved before. */
  async #first(): Promise<OctopusDeduction> {
    const deduction = await this.#reader.deduct(this.#order);
    return isPassedBy(deduction) ? this.#find() : deduction;
  }

  /**
   * The same card again: until it is back, what the others and the empty reader say changes nothing. Nor does a refusal while the reader
   * has the deduction on its books.
   */
  async #again(): Promise<OctopusDeduction> {
    const deduction = await this.#reader.deduct(this.#order);
    if (isPassedBy(deduction)) return { kind: 'incomplete', code: 0 };
    if (deduction.kind !== 'refused' && deduction.kind !== 'insufficient') return deduction;
    const found = await this.#find();
    return found.kind === 'tryAgain' ? deduction : found;
  }

  async #find(): Promise<OctopusDeduction> {
    const finding = await this.#reader.find(this.#order.reference);
    switch (finding.kind) {
      case 'deducted':
        return finding;
      case 'none':
        return { kind: 'tryAgain', code: 0 };
      case 'incomplete':
        return { kind: 'incomplete', code: 0 };
      case 'unanswered':
        return { kind: 'unknown' };
      default:
        return finding satisfies never;
    }
  }

  /** Its time is over: what the reader knows now, or as it was. */
  async #last(deduction: OctopusDeduction): Promise<OctopusDeduction> {
    const found = await this.#find();
    return found.kind === 'unknown' ? deduction : found;
  }
}

/** No word on the deduction itself: of another card, or of none that could be read. */
function isPassedBy({ kind }: OctopusDeduction): boolean {
  return kind === 'otherCard' || kind === 'tryAgain';
}

/** How the reader knows this deduction, for ever. */
export function octopusReference(id: TransactionRecord['id'], { stan }: { readonly stan: number }): string {
  return `${id}-${stan}`;
}

const unknownYet = failure(
  'UNKNOWN',
  'the Octopus deduction is incomplete and the card did not come back: enquire, and do not void the sale',
);

/** No reversal follows: it would be charged twice by a merchant who was told so. */
const unwrittenDeduction = failure(
  'UNKNOWN',
  'what became of the Octopus deduction could not be written: enquire, and do not charge again before',
);

/** Asks the reader what became of an unknown deduction. The events that conclude it, or nothing to ask again later. */
export async function resolveOctopus(
  { id, intent }: TransactionRecord,
  reader: Pick<OctopusReader, 'find'>,
  printsReceipt: boolean,
): Promise<readonly JournalEvent[] | undefined> {
  if (!intent) return undefined;
  const finding = await reader.find(octopusReference(id, intent.trace));
  switch (finding.kind) {
    case 'deducted': {
      const outcome = deductedOutcome(finding);
      const paper = receipt({ printsReceipt });
      return [
        { kind: 'answered', outcome },
        { kind: 'ended', ...conclusionOf(outcome) },
        ...paper,
        { kind: 'resolved' },
      ];
    }
    case 'none': {
      const ended = failure('ERROR', 'nothing was deducted');
      return [{ kind: 'answered', outcome: nothingDeducted }, { kind: 'ended', ...ended }, { kind: 'resolved' }];
    }
    case 'incomplete':
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

function lastFour(cardId: string): string {
  return cardId.slice(-4).padStart(cardId.length, '*');
}
