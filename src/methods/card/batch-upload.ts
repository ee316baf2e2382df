import { timeOfId } from '../../base/domain/identifiers.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import { operationOf } from '../../base/domain/transaction-kind.ts';
import { settlementFaults } from '../../base/domain/settlement-fault.ts';
import type { AcquirerHost, UploadOrder, UploadOutcome } from '../../payment/contracts/acquirer-host.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { BatchItem } from '../../payment/records/batch.ts';
import { cardReference, originalReference } from './message.ts';

const stanMax = 999_999;
/** An advice without an answer is repeated: 0321. */
const repeatsMax = 3;

/**
 * Why an upload has ended early. `silent`: the host does not answer. `rejectsOne`: the host will never accept one of
 * the transactions.
 */
export interface UploadFault {
  readonly fault: string;
  readonly silent: boolean;
  readonly rejectsOne?: true;
}

export interface Uploaded {
  readonly fault?: UploadFault;
  /** Transactions that the host will never accept: they are left out of the totals. */
  readonly missing: readonly BatchItem[];
}

/** One upload: the transactions of a batch in one currency. */
export interface UploadTask {
  readonly batch: number;
  /** The site of the upload; absent for a host with one address. */
  readonly site?: string | undefined;
  readonly currency: CurrencyCode;
  readonly items: readonly BatchItem[];
  /** Leaves out transactions that the host rejects, as long as it accepts at least one. */
  readonly leavesOut: boolean;
  readonly isStopping: () => boolean;
}

/** What the host has answered of an upload that it then stopped answering. */
interface Progress {
  readonly accepted: Set<string>;
  readonly missing: Set<string>;
}

/**
 * Uploads a batch (0320). A message without an answer is repeated (0321). If the host stays silent, the next attempt
 * continues with the first message that it has not answered. The progress is lost with the process: then the upload
 * starts again.
 */
export class BatchUploads {
  readonly #host: AcquirerHost;
  readonly #journal: Journal;
  readonly #interrupted = new Map<string, Progress>();

  constructor(host: AcquirerHost, journal: Journal) {
    this.#host = host;
    this.#journal = journal;
  }

  /** Whether the host waits for the rest of this upload, and none of what it has answered has changed. */
  canContinue(task: UploadTask): boolean {
    const progress = this.#interrupted.get(keyOf(task));
    if (!progress) return false;
    const answered = [...progress.accepted, ...progress.missing];
    const present = new Set(task.items.map(fingerprint));
    return answered.length < present.size && answered.every((each) => present.has(each));
  }

  forget(task: Pick<UploadTask, 'batch' | 'site' | 'currency'>): void {
    this.#interrupted.delete(keyOf(task));
  }

  /** Continues an interrupted upload, or starts a new one. */
  async run(task: UploadTask): Promise<Uploaded> {
    const progress = this.#interrupted.get(keyOf(task)) ?? { accepted: new Set(), missing: new Set() };
    const fault = await this.#send(task, progress);
    if (fault?.silent) this.#interrupted.set(keyOf(task), progress);
    else this.forget(task);
    const missing = task.items.filter((item) => progress.missing.has(fingerprint(item)));
    if (fault) return { fault, missing };
    // A host that rejects all of several transactions refuses the upload itself.
    if (missing.length === task.items.length && missing.length > 1) {
      return { fault: { fault: settlementFaults.uploadRejected, silent: false }, missing };
    }
    return { missing };
  }

  async #send(
    { site, items, leavesOut, isStopping }: UploadTask,
    progress: Progress,
  ): Promise<UploadFault | undefined> {
    const { accepted, missing } = progress;
    const waiting = items.filter((item) => !accepted.has(fingerprint(item)) && !missing.has(fingerprint(item)));
    if (waiting.length === 0) return undefined;
    const first = await this.#journal.allocateStans(this.#host.id, waiting.length);
    const sent = items.length - waiting.length;
    for (const [index, item] of waiting.entries()) {
      if (isStopping()) return { fault: settlementFaults.stopping, silent: true };
      const stan = ((first - 1 + index) % stanMax) + 1;
      const place = { number: sent + index + 1, count: items.length };
      const order = uploadOrder(item, stan, place);
      const outcome = await this.#upload(site === undefined ? order : { ...order, site }, isStopping);
      if (outcome.kind === 'accepted') accepted.add(fingerprint(item));
      else if (outcome.kind === 'rejected' && leavesOut) missing.add(fingerprint(item));
      else return faultOf(outcome);
    }
    return undefined;
  }

  async #upload(order: UploadOrder, isStopping: () => boolean): Promise<UploadOutcome> {
    let outcome = await this.#host.upload(order, false);
    for (let repeats = 0; repeats < repeatsMax && outcome.kind === 'unanswered' && !isStopping(); repeats++) {
      outcome = await this.#host.upload(order, true);
    }
    return outcome;
  }
}

function faultOf(outcome: Exclude<UploadOutcome, { kind: 'accepted' }>): UploadFault {
  switch (outcome.kind) {
    case 'rejected':
    case 'refused': {
      const fault = `${settlementFaults.uploadRefused} (code ${outcome.responseCode})`;
      return { fault, silent: false, ...(outcome.kind === 'rejected' ? { rejectsOne: true as const } : {}) };
    }
    case 'notSent':
      return { fault: settlementFaults.hostUnreachable, silent: true };
    case 'unanswered':
      return { fault: `${settlementFaults.hostSilent} the batch upload`, silent: true };
    default:
      return outcome satisfies never;
  }
}

/** Uploads are separate for each site: another site does not know of one that has begun. */
function keyOf({ batch, site = '', currency }: Pick<UploadTask, 'batch' | 'site' | 'currency'>): string {
  return `${batch} ${currency} ${site}`;
}

function fingerprint({ record, kind, minor }: BatchItem): string {
  return `${record.id} ${kind} ${minor}`;
}

function uploadOrder({ record, kind, minor }: BatchItem, stan: number, place: UploadOrder['place']): UploadOrder {
  const amount = { minor, currency: record.amount.currency };
  return {
    stan,
    operation: operationOf(kind),
    amount,
    card: cardReference(record),
    original: originalReference(record, amount),
    place,
    at: timeOfId(record.id),
  };
}
