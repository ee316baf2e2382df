import { acquirerId, type TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { Accepted } from '../../src/payment/events/accepted.ts';
import type { CardIntent } from '../../src/payment/events/intent.ts';
import type { Random } from '../../src/base/ports/clock.ts';
import * as events from '../support/events.ts';

/** Numbers begin at 1, so that a test can name them. */
export const fromOne: Random = { bytes: (length) => new Uint8Array(length) };

/** The identifier that sorts at `ordinal`. */
export function numbered(ordinal: number): TerminalTransactionId {
  return String(ordinal).padStart(26, '0') as TerminalTransactionId;
}

export function accepted(messageId: string): Accepted {
  return { ...events.accepted, messageId, digest: `digest of ${messageId}` };
}

/** An intent whose numbers the journal still has to give. */
export function draft(acquirer = 'EDC'): Omit<CardIntent, 'kind' | 'trace'> {
  const { kind: _kind, trace: _trace, ...rest } = events.intent;
  return { ...rest, acquirerId: acquirerId(acquirer) };
}
