import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { QueueNews } from '../../payment/method/acquirer.ts';
import { LateAnswers, type LateAnswersOptions } from '../../methods/card/late-answers.ts';
import { ClosedOrderRequery } from '../../methods/wallet/closed-order-requery.ts';
import type { Random } from '../../base/ports/clock.ts';
import { StoreAndForward } from '../../payment/terminal/store-and-forward.ts';
import { type AcquirerParts, type Acquirers, type AcquirerSource, makeAcquirers } from './acquirers.ts';
import type { OpenParts } from './open-parts.ts';

export interface QueueParts extends Omit<AcquirerParts, 'onFailure' | 'onResolved'> {
  readonly random: Random;
  /** How long a payment waits for messages that are queued before it. */
  readonly patienceMs?: number;
  /** How far the slowest wallet's query may lag behind its books, in milliseconds. */
  readonly lagMs: number;
  readonly onThrough: (what: QueueNews, id: TerminalTransactionId) => void;
  readonly onHeard: NonNullable<LateAnswersOptions['onHeard']>;
  /** Called when a wallet's order that was closed had been paid. */
  readonly onPaid: (id: TerminalTransactionId) => void;
  readonly onFailure: (part: 'settlement' | 'forwarder' | 'late answer' | 'wallet', error: unknown) => void;
}

/** The acquirers of this terminal, with everything that is sent or received besides payments. */
export interface Queues extends Acquirers {
  readonly forwarder: StoreAndForward;
  readonly lateAnswers: LateAnswers;
  /** Absent without wallets. */
  readonly closedOrders?: ClosedOrderRequery;
}

export function openQueues(sources: readonly AcquirerSource[], parts: QueueParts, opened: OpenParts): Queues {
  const { journal, clock, random, lagMs, onThrough, onHeard, onPaid } = parts;
  const failureOf = (part: Parameters<QueueParts['onFailure']>[0]) => (error: unknown) => parts.onFailure(part, error);
  const onResolved = (id: TerminalTransactionId) => onThrough('reversal acknowledged', id);
  const made = makeAcquirers(sources, { ...parts, onResolved, onFailure: failureOf('settlement') });
  const { acquirers, cardAcquirers, wallets } = made;
  for (const acquirer of acquirers.values()) opened.add(acquirer);
  const patience = parts.patienceMs === undefined ? {} : { patienceMs: parts.patienceMs };
  const forwarder = opened.add(
    new StoreAndForward({ journal, acquirers, clock, ...patience, onThrough, onFailure: failureOf('forwarder') }),
  );
  const common = { journal, forwarder, clock, random };
  const lateAnswers = opened.add(
    new LateAnswers({ ...common, acquirers: cardAcquirers, onHeard, onFailure: failureOf('late answer') }),
  );
  if (wallets.size === 0) return { ...made, forwarder, lateAnswers };
  const look = { lagMs, onPaid, onFailure: failureOf('wallet') };
  return {
    ...made,
    forwarder,
    lateAnswers,
    closedOrders: opened.add(new ClosedOrderRequery({ ...common, wallets, ...look })),
  };
}
