import { majorText } from '../domain/amount.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { Journal } from '../ports/journal.ts';
import { Batch, type BatchItem } from '../transaction/batch.ts';
import { transactionRecord } from '../transaction/record.ts';

/** A transaction of an open batch, as the operator finds it again. */
export interface Voidable {
  readonly id: TerminalTransactionId;
  readonly kind: string;
  readonly method: string;
  readonly lastDigits: string;
  readonly amount: string;
  readonly currency: string;
  readonly at: string;
}

type OpenBatches = Pick<Journal, 'openBatch' | 'batchPage'>;

const pageSize = 100;
const most = 12;

/** What stands in the open batches and may be voided, the latest first. */
export async function voidables(journal: OpenBatches, acquirers: readonly AcquirerId[]): Promise<Voidable[]> {
  const items = await Promise.all(acquirers.map((id) => openItems(journal, id)));
  return items
    .flat()
    .flatMap(voidable)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, most);
}

async function openItems(journal: OpenBatches, acquirer: AcquirerId): Promise<readonly BatchItem[]> {
  const number = await journal.openBatch(acquirer);
  const batch = new Batch();
  for (let after: TerminalTransactionId | '' = ''; ; ) {
    const page = await journal.batchPage(acquirer, number, after, pageSize);
    for (const { id, events } of page) batch.add(transactionRecord(id, events));
    const last = page.at(-1);
    if (!last || page.length < pageSize) return batch.items;
    after = last.id;
  }
}

/** Cash and stored value have no void, EPS neither (SPEC §1). */
function voidable({ record, kind, minor }: BatchItem): Voidable[] {
  const { id, intent, amount, createdAt } = record;
  if (!intent) return [];
  const told = {
    id,
    kind,
    amount: majorText({ ...amount, minor }),
    currency: amount.currency,
    at: createdAt.toISOString(),
  };
  if ('card' in intent && intent.card.brand !== 'EPS') {
    return [{ ...told, method: intent.card.brand, lastDigits: intent.card.maskedPan.slice(-4) }];
  }
  return 'wallet' in intent ? [{ ...told, method: intent.wallet.scheme, lastDigits: '' }] : [];
}
