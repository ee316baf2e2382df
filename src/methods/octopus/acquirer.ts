import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { Pending } from '../../payment/contracts/journal.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import type { AcquirerProfile } from '../../payment/transaction/acquirer-profile.ts';
import type { Acquirer, DecisionWrite, SendAttempt } from '../../payment/method/acquirer.ts';
import { type BatchSettler, numberedBatches } from '../../payment/method/batch-settler.ts';
import { prepareUndo } from '../../payment/method/undo-attempt.ts';
import { settleOctopusBatch } from './batch.ts';
import type { OctopusReturn } from './card-return.ts';
import { OctopusDecisions, type OctopusDecisionsOptions } from './decisions.ts';

export interface OctopusAcquirerOptions {
  readonly profile: AcquirerProfile;
  readonly reader: Pick<OctopusReturn, 'findOut' | 'upload' | 'stop' | 'alone' | 'onState'>;
  /** Whether the terminal prints the receipt of this transaction. */
  readonly printsReceipt: (record: TransactionRecord) => boolean;
  readonly journal: OctopusDecisionsOptions['journal'];
  readonly clock: Clock;
  readonly onResolved?: OctopusDecisionsOptions['onResolved'];
  readonly onFailure?: OctopusDecisionsOptions['onFailure'];
}

/** The Octopus company, behind its reader. A deduction can't be reversed, so an unknown one is resolved by enquiry. */
export class OctopusAcquirer implements Acquirer {
  readonly profile: AcquirerProfile;
  readonly settler: BatchSettler;
  readonly #options: OctopusAcquirerOptions;
  readonly #decisions: OctopusDecisions;

  constructor(options: OctopusAcquirerOptions) {
    const { profile, reader } = options;
    this.#options = options;
    this.profile = profile;
    const decisions = new OctopusDecisions({ ...options, acquirerId: profile.id });
    this.#decisions = decisions;
    this.settler = {
      ...numberedBatches,
      mayStayUnknown: true,
      closesUnsent: true,
      pausesPayments: true,
      beforeClosing: () => decisions.beforeClosing(),
      settle: (closed) => settleOctopusBatch(closed, reader),
    };
  }

  prepare(message: Pending['message'], record: TransactionRecord): SendAttempt {
    const { reader, printsReceipt } = this.#options;
    return prepareUndo(message, record, () => reader.findOut(record, printsReceipt(record)));
  }

  resume(): void {
    this.#decisions.resume();
  }

  decide(id: TerminalTransactionId, write: DecisionWrite): Promise<boolean> {
    return this.#decisions.decide(id, write);
  }

  /** The reader itself belongs to the terminal's devices, and stays open. */
  async close(): Promise<void> {
    await this.#decisions.stop();
    await this.#options.reader.stop();
  }
}
