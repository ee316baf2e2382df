import { isDeepStrictEqual } from 'node:util';
import type { Configuration } from '../../config/configuration.ts';
import { isSameSettings, withoutKey } from '../../config/host-terms.ts';
import { type AcquirerId, acquirerId } from '../../base/domain/identifiers.ts';
import type { Obstacle } from '../documents/configuration-topic.ts';
import type { UnsettledSearch } from '../../payment/records/first-unsettled.ts';
import type { UnsettledJournal } from '../../payment/records/unsettled.ts';
import type { Terminal } from '../../payment/terminal/terminal.ts';
import type { KeptAcquirers } from '../../payment/holds/acquirers-in-use.ts';
import type { ProgressWatch } from '../../payment/terminal/exclusive-window.ts';

export interface Taking {
  readonly present: Configuration;
  readonly next: Configuration;
  /** Once it resolves, the next start uses the configuration. */
  readonly adopt: () => Promise<void>;
  /** Ends a running search, which then rejects. */
  readonly signal: AbortSignal;
}

export interface TakingParts {
  readonly journal: UnsettledJournal;
  readonly search: UnsettledSearch;
  readonly terminal: Pick<Terminal, 'running' | 'runLast'>;
  readonly progress: Pick<ProgressWatch, 'settlements'>;
  readonly inUse: Pick<KeptAcquirers, 'of'>;
}

/**
 * Adopts a configuration if no payment runs, no reversal waits for its host, and nothing is unsettled at an acquirer
 * that it changes: a sale is voided and settled with the contract under which it was made. The last check and the
 * adoption are one step. No payment begins during it or after it. Returns the first obstacle. Rejects with
 * JournalError.
 */
export async function takeConfiguration(
  { present, next, adopt, signal }: Taking,
  { journal, search, terminal, progress, inUse }: TakingParts,
): Promise<Obstacle | undefined> {
  const { running } = terminal;
  if (running) return busy(running.state);
  const ids = listChanged(present, next, inUse);
  const look = async (find: 'find' | 'findSoon'): Promise<Obstacle | undefined> => {
    const reversal = (await journal.pending()).find(({ message }) => message === 'reversal');
    if (reversal) return { reason: 'a reversal waits for its host', until: 'ended' };
    const found = ids.length === 0 ? undefined : await search[find](ids, signal);
    if (!found) return undefined;
    const reason = 'it changes acquirers or wallets, and there is unsettled money';
    return { reason, until: found.kind === 'settledAuth' ? 'idle' : 'ended' };
  };
  for (;;) {
    const { settlements } = progress;
    // The long search comes first, because it need not delay a payment.
    const found = await look('find');
    if (found) return found;
    let obstacle: Obstacle | undefined;
    const isAdopted = await terminal.runLast(async () => {
      if (progress.settlements !== settlements) return false;
      obstacle = await look('findSoon');
      if (obstacle) return false;
      await adopt();
      return true;
    });
    if (isAdopted) return undefined;
    if (obstacle) return obstacle;
    if (isAdopted === undefined) return busy(terminal.running?.state ?? 'busy');
  }
}

function busy(state: string): Obstacle {
  return { reason: `the terminal is ${state}`, until: 'idle' };
}

/** Those whose settings change. A wallet's own settings are part of its acquirer's. */
function listChanged(present: Configuration, next: Configuration, inUse: TakingParts['inUse']): AcquirerId[] {
  const ids = new Set([...present.acquirers, ...next.acquirers].map(({ id }) => id));
  const settingsIn = ({ acquirers }: Configuration, id: string) => acquirers.find((each) => each.id === id);
  const isChanged = (id: string) => {
    const [before, after] = [settingsIn(present, id), settingsIn(next, id)];
    const used = inUse.of(id) ?? (before && withoutKey(before));
    if (!isSameSettings(used, after && withoutKey(after))) return true;
    return after?.protocol === 'qfpay' && !isDeepStrictEqual(present.wallets, next.wallets);
  };
  return [...ids].filter(isChanged).map((id) => acquirerId(id));
}
