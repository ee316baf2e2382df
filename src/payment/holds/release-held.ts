import { UnsettledSearch } from '../records/first-unsettled.ts';
import type { UnsettledJournal } from '../records/unsettled.ts';
import type { Log } from '../../observability/log.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { KeptAcquirers } from './acquirers-in-use.ts';
import type { Hold } from './find-holds.ts';
import type { HeldAcquirers } from './held-acquirers.ts';
import type { ProgressWatch } from '../terminal/exclusive-window.ts';

export interface ReleaseParts {
  readonly held: HeldAcquirers;
  readonly inUse: Pick<KeptAcquirers, 'keep'>;
  readonly journal: UnsettledJournal;
  readonly terminal: Pick<Terminal, 'runNext' | 'releasing'>;
  readonly progress: Pick<ProgressWatch, 'onProgress' | 'settlements'>;
  readonly log: Pick<Log, 'info' | 'failure'>;
}

/**
 * Lets an acquirer take payments again, with its present settings, once nothing of it is queued or unsettled. This is
 * checked whenever unsettled work may have ended, and decided while nothing else runs. The settings are stored before
 * the first message that uses them, so no restart is needed.
 */
export function openRelease(parts: ReleaseParts, opened: { add(part: { close(): Promise<void> }): unknown }): void {
  const { held, progress, log } = parts;
  if (held.all.length === 0) return;
  const closing = new AbortController();
  const search = new UnsettledSearch(parts.journal);
  let work = Promise.resolve();
  let deciding: Promise<unknown> = Promise.resolve();
  let isQueued = false;
  const decide = (decision: () => Promise<boolean>) => {
    if (closing.signal.aborted) return Promise.resolve(false);
    const decided = decision();
    deciding = decided.catch(() => undefined);
    return decided;
  };
  const look = () => {
    if (isQueued || closing.signal.aborted) return;
    isQueued = true;
    work = work.then(async () => {
      isQueued = false;
      for (const hold of held.all) await tryRelease(hold, { search, signal: closing.signal, decide }, parts);
    });
    work = work.catch((error: unknown) => (closing.signal.aborted ? undefined : log.failure('held acquirer', error)));
    parts.terminal.releasing = work;
  };
  const leave = progress.onProgress(look);
  look();
  opened.add({
    // A check that still waits for a payment to end decides nothing from now on.
    async close() {
      leave();
      closing.abort();
      await deciding;
    },
  });
}

interface Looking {
  readonly search: UnsettledSearch;
  readonly signal: AbortSignal;
  /** Runs a decision, or resolves to false at a stop. */
  readonly decide: (decision: () => Promise<boolean>) => Promise<boolean>;
}

/** Waits for the running payment: payments without a pause between them must not keep the acquirer held. */
async function tryRelease(
  { id, next, behind }: Hold,
  { search, signal, decide }: Looking,
  { held, inUse, terminal, progress, log }: ReleaseParts,
): Promise<void> {
  const ids = behind === undefined ? [id] : [id, behind];
  const { settlements } = progress;
  if (await search.find(ids, signal)) return;
  const isReleased = await terminal.runNext(() =>
    decide(async () => {
      if (progress.settlements !== settlements || (await search.findSoon(ids))) return false;
      await inUse.keep(new Map([[id, next]]));
      await held.release(id);
      return true;
    }),
  );
  if (isReleased) log.info('acquirer released', { acquirerId: id });
}
