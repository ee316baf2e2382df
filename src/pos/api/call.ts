import type { Counter } from '../peripherals/counter.ts';
import type { AnswerShape, ReceiptPrinting } from '../../payment/events/accepted.ts';
import type { Pairing } from '../pairing/pairing.ts';
import type { TerminalRefusal, Restored } from '../../payment/terminal/answers.ts';
import type { Refusal } from '../../base/domain/reason.ts';
import type { ReadingTurns } from '../../payment/terminal/reading-turns.ts';
import type { Terminal } from '../../payment/terminal/terminal.ts';
import type { TransactionLists } from '../../payment/terminal/transaction-lists.ts';
import type { TerminalCapabilities } from '../../payment/transaction/terminal-capabilities.ts';
import { type CollectTimes, parseIdentity } from './pos-request.ts';
import { type Answer, errorAnswer, type Shop } from './pos-response.ts';
import { isRefusal, type InputRefusal } from './input.ts';
import type { MerchantHeaders } from '../../payment/terminal/merchant-header.ts';
import type { Reprints } from './reprints.ts';
import type { Reports } from '../../payment/terminal/reports.ts';
import type { PosCaller, PosQuery } from '../contracts/pos-calls.ts';
import type { WaitingCalls } from './waiting-calls.ts';

/** The parts that the handlers use. */
export interface ApiParts {
  readonly terminal: Pick<
    Terminal,
    'pay' | 'enquire' | 'identityOf' | 'enquireSettlement' | 'cancel' | 'settle' | 'recall' | 'notFound'
  >;
  readonly waiting: Pick<WaitingCalls, 'answer'>;
  /** In which pictures of receipts are drawn, one after the other: each takes the processor. */
  readonly pictures: Pick<ReadingTurns, 'run'>;
  readonly lists: Pick<TransactionLists, 'page' | 'acquirers'>;
  readonly reports: Pick<Reports, 'read'>;
  /** Whether the configuration lets this paired POS have reports of all POS; none may by default. */
  readonly reportsAll?: (posId: string) => boolean;
  readonly capabilities: TerminalCapabilities;
  readonly collectTimes: CollectTimes;
  readonly shop: Shop;
  /** The headers of merchants' receipts, by their ids. */
  readonly merchantHeaders?: MerchantHeaders;
  /** The answer's shape for this POS, and who prints its receipts. */
  readonly answerFor: (posId: string) => { readonly shape: AnswerShape; readonly printedBy: ReceiptPrinting };
  readonly reprints: Reprints;
  /** The treatment of a till's text that shows a whole card number; refused by default. */
  readonly cardNumbers?: 'refuse' | 'print';
  /** Printer, drawer and idle screen as tills use them. */
  readonly counter: Counter;
  readonly status: () => Promise<unknown>;
  /** Set if points of sale are paired. */
  readonly pairing?: Pick<Pairing, 'begin' | 'reveal' | 'rotate'>;
}

/** Handles one call. `body`: parsed; undefined for a GET. */
export type Handler = (body: unknown, parts: ApiParts, caller: PosCaller, asked: PosQuery) => Promise<Answer>;

export interface Identity {
  readonly posId: string;
  readonly messageId: string;
}

const busy = { reason: 'busy', message: 'the terminal is busy with another transaction' } as const;
const reused = { reason: 'messageIdReused', message: 'this messageId names another request' } as const;

/** The answer for a payment or a settlement without an outcome. */
export function terminalRefusalAnswer(answer: TerminalRefusal, { posId, messageId }: Identity): Answer {
  const nothing = { posId, messageId, financialImpact: 'NONE' } as const;
  switch (answer.kind) {
    case 'busy':
      return errorAnswer(409, 'ERROR', busy, {
        ...nothing,
        running: answer.owner,
      });
    case 'otherRequest':
      return errorAnswer(409, 'ALREADY_EXISTS', reused, nothing);
    case 'notReady':
      return errorAnswer(503, 'ERROR', answer, nothing);
    case 'journalFailed':
      return answer.started
        ? errorAnswer(
            503,
            'UNKNOWN',
            { reason: 'outcomeUnknown', message: `${answer.reason}; the outcome is not known: enquire` },
            { posId, messageId, financialImpact: 'UNKNOWN' },
          )
        : errorAnswer(
            503,
            'DATABASE_ERROR',
            { reason: 'journalUnavailable', message: `${answer.reason}; nothing was started` },
            nothing,
          );
    default:
      return answer satisfies never;
  }
}

/** `since`: when the journal began; it has no earlier payments. */
export function notFoundAnswer(identity: Partial<Identity>, since?: string): Answer {
  if (since === undefined) {
    const unknown = { reason: 'transactionUnknown', message: none } as const;
    return errorAnswer(404, 'NOT_FOUND', unknown, { ...identity, financialImpact: 'NONE' });
  }
  return errorAnswer(404, 'NOT_FOUND', beforeJournal(since), { ...identity, financialImpact: 'UNKNOWN' });
}

const none = 'no transaction has this posId and messageId, or this id';

/** Requests that may concern a time before the journal. */
export function beforeJournal(since: string): Refusal {
  const message = `${none}: the journal of this terminal goes back to ${since}, earlier payments are not known here`;
  return { reason: 'beforeJournal', message };
}

/** A POST that may be the repeat of a payment that is not in the journal. */
export function copyAnswer({ at, lastAt = 'its beginning' }: Restored, { posId, messageId }: Identity): Answer {
  const message =
    `the journal of this terminal was put back: payments between ${lastAt} and ${at} are not known here, and this may ` +
    'be one of them. Nothing was started: call the operator';
  const detail = { posId, messageId, financialImpact: 'UNKNOWN' } as const;
  return errorAnswer(409, 'UNKNOWN', { reason: 'beforeJournal', message }, detail);
}

/** Repeats the identity if the request has a valid one: SPEC §4, rule 2. */
export function refusalAnswer(status: number, refusal: InputRefusal, body: unknown): Answer {
  const identity = parseIdentity(body);
  const [first] = refusal.errors;
  return errorAnswer(
    status,
    refusal.result,
    {
      reason: first?.reason ?? 'fieldInvalid',
      message: first ? `${first.pointer || 'the body'} ${first.message}` : 'not acceptable',
    },
    {
      ...(isRefusal(identity) ? {} : identity),
      // A refund or void that is not in the journal may have been done before.
      financialImpact: first?.reason === 'beforeJournal' ? 'UNKNOWN' : 'NONE',
      errors: refusal.errors,
      ...(refusal.possible ? { possible: refusal.possible } : {}),
    },
  );
}
