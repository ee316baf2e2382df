import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { Journal, Pending } from '../../payment/contracts/journal.ts';
import type { WalletHost } from '../../payment/contracts/wallet-host.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import type { AcquirerProfile } from '../../payment/transaction/acquirer-profile.ts';
import type { Acquirer, SendAttempt } from '../../payment/method/acquirer.ts';
import { type BatchSettler, numberedBatches } from '../../payment/method/batch-settler.ts';
import { prepareUndo } from '../../payment/method/undo-attempt.ts';
import { type RefundJournal, settleWalletBatch } from './batch.ts';
import { RefundEndings } from './refund-endings.ts';
import { isRefundToResolve, undoWallet } from './undo.ts';

export interface WalletAcquirerOptions {
  readonly profile: AcquirerProfile;
  readonly host: WalletHost;
  readonly journal: RefundJournal & Pick<Journal, 'append'>;
  readonly clock: MonotonicClock;
  /** For how long an enquiry may not show what the host has done. */
  readonly lagMs: number;
  /** Whether the terminal prints the receipt of this transaction. */
  readonly printsReceipt: (record: TransactionRecord) => boolean;
}

/** A wallet's host: an unknown order is enquired, then closed or refunded. */
export class WalletAcquirer implements Acquirer {
  readonly profile: AcquirerProfile;
  readonly settler: BatchSettler;
  readonly #options: WalletAcquirerOptions;
  readonly #endings: RefundEndings;

  constructor(options: WalletAcquirerOptions) {
    const { profile, host, journal, clock, lagMs } = options;
    this.#endings = new RefundEndings(journal, clock, lagMs);
    this.#options = options;
    this.profile = profile;
    this.settler = {
      ...numberedBatches,
      mayStayUnknown: true,
      settle: async (_closed, read) => settleWalletBatch(await read(), host, journal),
    };
  }

  get address(): WalletHost {
    return this.#options.host;
  }

  prepare(message: Pending['message'], record: TransactionRecord): SendAttempt {
    const { host, clock, printsReceipt } = this.#options;
    return prepareUndo(message, record, () => undoWallet(record, host, clock, printsReceipt(record), this.#endings));
  }

  enquiresFirst(record: TransactionRecord): boolean {
    return isRefundToResolve(record);
  }

  close(): Promise<void> {
    return this.#options.host.stop();
  }
}
