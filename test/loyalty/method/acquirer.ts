import type { AcquirerId } from '../../../src/base/domain/identifiers.ts';
import type { SettlingBatch } from '../../../src/payment/events/settling-batch.ts';
import type { Acquirer, AcquirerAddress, SendAttempt } from '../../../src/payment/method/acquirer.ts';
import {
  type BatchSettler,
  type SettlementResult,
  numberedBatches,
} from '../../../src/payment/method/batch-settler.ts';
import { prepareUndo } from '../../../src/payment/method/undo-attempt.ts';
import { UnsendableOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import type { Pending } from '../../../src/payment/contracts/journal.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import type { AcquirerProfile } from '../../../src/payment/transaction/acquirer-profile.ts';
import type { LoyaltyLink } from './host.ts';

/** The company behind the card: it undoes what is unknown, and tells its totals of a batch. */
export class LoyaltyAcquirer implements Acquirer {
  readonly profile: AcquirerProfile;
  readonly settler: BatchSettler;
  readonly #link: LoyaltyLink;

  constructor(id: AcquirerId, link: LoyaltyLink) {
    this.profile = { id, brands: ['LOYALTY'], kinds: ['SALE', 'REFUND', 'VOID_SALE', 'VOID_REFUND'] };
    this.settler = { ...numberedBatches, settle: (closed) => settle(closed, link) };
    this.#link = link;
  }

  get address(): AcquirerAddress {
    return { mid: '', tid: '', link: this.#link.link };
  }

  prepare(message: Pending['message'], record: TransactionRecord): SendAttempt {
    const { id, intent } = record;
    if (!intent || !('method' in intent)) throw new UnsendableOrder(`transaction ${id} is no loyalty payment`);
    const { trace, own } = intent;
    return prepareUndo(message, record, async () =>
      (await this.#link.undo(refOf(id, trace), own['token'] ?? ''))
        ? [{ kind: 'reversalAcknowledged', responseCode: 'OK' }]
        : undefined,
    );
  }

  async close(): Promise<void> {
    // Each request has a connection of its own, and ends with it.
  }
}

/** How the host knows this message, for ever. */
export function refOf(id: TransactionRecord['id'], { stan }: { readonly stan: number }): string {
  return `${id}-${stan}`;
}

/** The host's books say what was paid: they are asked first, and closed only where they agree. */
async function settle({ batch, currencies }: SettlingBatch, link: LoyaltyLink): Promise<SettlementResult> {
  for (const { currency, sales, refunds } of currencies) {
    const theirs = await link.totals(batch, currency);
    if (!theirs) return { result: 'FAILED', reason: 'the loyalty host does not tell its totals' };
    const [ours, said] = [
      [sales, refunds].map(({ count, totalMinor }) => `${count} ${totalMinor}`),
      [theirs.sales, theirs.refunds].map(({ count, minor }) => `${count} ${minor}`),
    ].map((each) => each.join(' '));
    if (ours !== said) return { result: 'FAILED', reason: `the loyalty host has ${said}, not ${ours}`, refused: true };
    if (!(await link.closeBatch(batch, currency))) return { result: 'FAILED', reason: 'the batch was not closed' };
  }
  return { result: 'BALANCED' };
}
