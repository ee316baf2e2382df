import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { Pending } from '../../payment/contracts/journal.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import type { AcquirerProfile } from '../../payment/transaction/acquirer-profile.ts';
import type { Acquirer, DecisionWrite, SendAttempt } from '../../payment/method/acquirer.ts';
import { type BatchSettler, numberedBatches, type SettlementResult } from '../../payment/method/batch-settler.ts';
import { prepareUndo } from '../../payment/method/undo-attempt.ts';
import type { OctopusReturn } from './card-return.ts';
import { OctopusDecisions, type OctopusDecisionsOptions } from './decisions.ts';
import { settlementFaults } from '../../base/domain/settlement-fault.ts';
import type { OctopusReader } from '../../base/ports/octopus-reader.ts';
import type { SettlingBatch } from '../../payment/events/settling-batch.ts';

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

/** The reader's own file goes to the Octopus company, which settles by it. Totals are in HKD only. */
async function settleOctopusBatch(
  { currencies }: SettlingBatch,
  reader: Pick<OctopusReader, 'upload'>,
): Promise<SettlementResult> {
  const sales = currencies.find(({ currency }) => currency === 'HKD')?.sales ?? { count: 0, totalMinor: '0' };
  const uploaded = await reader.upload();
  switch (uploaded.kind) {
    case 'uploaded': {
      const { count, totalMinor } = uploaded;
      if (count === sales.count && totalMinor === BigInt(sales.totalMinor)) return { result: 'BALANCED' };
      // The file was handed over and can't be withdrawn, so the merchant must compare the totals.
      return { result: 'UPLOADED', reason: `the reader’s file has ${count} deductions of ${totalMinor} cents` };
    }
    case 'failed':
      return { result: 'FAILED', reason: `${settlementFaults.readerRefused} (code ${uploaded.code})` };
    case 'unanswered':
      return { result: 'FAILED', reason: settlementFaults.readerSilent };
    default:
      return uploaded satisfies never;
  }
}
