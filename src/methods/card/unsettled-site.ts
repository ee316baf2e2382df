import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { Unsettled } from '../../payment/contracts/acquirer-host.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import { UnsettledSearch } from '../../payment/records/first-unsettled.ts';
import { cardIntentOf } from '../../payment/records/payment.ts';
import { readableRecord } from '../../payment/records/record.ts';

/** Finds out whether anything of an acquirer is queued or unsettled, and at which of its sites. */
export function unsettledFinder(id: AcquirerId, journal: Journal): () => Promise<Unsettled | undefined> {
  const search = new UnsettledSearch(journal);
  return async () => {
    const found = await search.find([id]);
    if (!found) return undefined;
    const record = found.id && readableRecord(found.id, await journal.read(found.id));
    return record ? { site: cardIntentOf(record.intent)?.site } : {};
  };
}
