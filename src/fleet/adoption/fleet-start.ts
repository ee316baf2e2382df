import { inState } from '../../base/domain/written-files.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { Json } from '../../config/json-file.ts';
import { ConfigurationStore, terminalOf } from '../documents/configuration-store.ts';
import { keysIn } from '../documents/documents.ts';
import { FleetKeys } from '../documents/fleet-keys.ts';
import { systemClock } from '../../base/ports/clock.ts';
import { RecentLines } from '../../observability/recent-lines.ts';

/** Some thousand lines; journald has the whole log. */
const recentBytesMax = 1_048_576;

/** The terminal's own configuration, with these settings of the fleet over it. Rejects with ConfigurationError. */
export type LoadWith = (settings: Json) => Promise<Configuration>;

/** The fleet's part of a start. */
export interface FleetStart {
  /** With the fleet's settings. */
  readonly configuration: Configuration;
  readonly store: ConfigurationStore;
  readonly keys: FleetKeys;
  readonly load: LoadWith;
  /** The log, for extracts. */
  readonly recent: RecentLines;
  /** The documents that could not be used, for the log. */
  readonly faults: readonly string[];
}

/**
 * Starts with the fleet's configuration: the one on trial, or the last good one. If it can't be used, it is refused,
 * and the terminal starts without it.
 */
export async function beginWithFleet(
  own: Configuration,
  load: LoadWith,
  serialNumber: string | undefined,
): Promise<FleetStart> {
  const { stateDir } = own;
  const terminal = terminalOf(serialNumber, own.cloud?.terminal);
  const store = await ConfigurationStore.open(inState(stateDir, 'fleet.json'), terminal);
  const keys = await FleetKeys.open(stateDir, terminal, own.fleet?.publicKeys ?? []);
  const faults: string[] = [];
  if (store.isDamaged) faults.push('what the fleet has sent is not used, because fleet.json is damaged');
  if (store.former !== undefined)
    faults.push(`what the fleet has sent to ${store.former} is not used: this is ${terminal}`);
  const recent = new RecentLines(recentBytesMax);
  const before = store.kept.trial;
  const first = await store.begin(systemClock.now());
  if (before && !store.kept.trial) faults.push(`version ${before.version}: ${store.kept.refused?.reason ?? 'refused'}`);
  for (let taken = first; taken; ) {
    try {
      return { configuration: await load(taken.configuration), store, keys, load, recent, faults };
    } catch (error) {
      const reason = (error as Error).message;
      faults.push(`version ${taken.version}: ${reason}`);
      const isTrial = taken.version === store.kept.trial?.version;
      if (isTrial) await store.refuse(taken.version, reason, systemClock.now());
      taken = isTrial ? store.kept.good : undefined;
    }
  }
  return { configuration: own, store, keys, load, recent, faults };
}

/**
 * The terminal has started: the configuration on trial becomes the good one, and the keys that it names take effect.
 */
export async function confirmFleet({ store, keys }: Pick<FleetStart, 'store' | 'keys'>): Promise<void> {
  const isNew = store.kept.trial !== undefined;
  await store.confirm();
  const { good } = store.kept;
  const named = good && keysIn(good.configuration);
  if (good && named && (isNew || keys.mayLack(good.version))) await keys.adopt(good.version, named, systemClock.now());
}
