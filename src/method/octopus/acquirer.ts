import type { Pending } from '../../ports/journal.ts';
import type { TransactionRecord } from '../../records/record.ts';
import type { AcquirerProfile } from '../../transaction/acquirer-profile.ts';
import type { Acquirer, SendAttempt } from '../acquirer.ts';
import { type BatchSettler, numberedBatches } from '../batch-settler.ts';
import { prepareUndo } from '../undo-attempt.ts';
import { settleOctopusBatch } from './batch.ts';
import type { OctopusReturn } from './card-return.ts';

export interface OctopusAcquirerOptions {
  readonly profile: AcquirerProfile;
  readonly reader: Pick<OctopusReturn, 'findOut' | 'upload' | 'stop'>;
  /** Whether the terminal prints the receipt of this transaction. */
  readonly printsReceipt: (record: TransactionRecord) => boolean;
}

/** The Octopus company, behind its reader. A deduction can't be reversed, so an unknown one is resolved by enquiry. */
export class OctopusAcquirer implements Acquirer {
  readonly profile: AcquirerProfile;
  readonly settler: BatchSettler;
  readonly #options: OctopusAcquirerOptions;

  constructor(options: OctopusAcquirerOptions) {
    const { profile, reader } = options;
    this.#options = options;
    this.profile = profile;
    this.settler = {
      ...numberedBatches,
      mayStayUnknown: true,
      pausesPayments: true,
      settle: (closed) => settleOctopusBatch(closed, reader),
    };
  }

  prepare(message: Pending['message'], record: TransactionRecord): SendAttempt {
    const { reader, printsReceipt } = this.#options;
    return prepareUndo(message, record, () => reader.findOut(record, printsReceipt(record)));
  }

  /** The reader itself belongs to the terminal's devices, and stays open. */
  close(): Promise<void> {
    return this.#options.reader.stop();
  }
}
