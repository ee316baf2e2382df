import path from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import type { Json } from '../config/json-file.ts';
import { ConfigurationStore } from '../fleet/configuration-store.ts';
import { systemClock } from '../ports/clock.ts';
import { RecentLines } from '../supervision/recent-lines.ts';

/** Some thousand lines: the whole of it is journald's. */
const recentBytesMax = 1_048_576;

/** The terminal's own configuration, with these settings of the fleet over it. Rejects with ConfigurationError. */
export type LoadWith = (settings: Json) => Promise<Configuration>;

/** What a start has of the fleet. */
export interface FleetStart {
  /** With what the fleet has set. */
  readonly configuration: Configuration;
  readonly store: ConfigurationStore;
  readonly load: LoadWith;
  /** The log, for extracts. */
  readonly recent: RecentLines;
  /** What could not be taken, for the log. */
  readonly faults: readonly string[];
}

/**
 * Begins with the configuration that the fleet has sent: the one on trial, or the last good one. One that can't be used is refused, and
 * the terminal begins without it.
 */
export async function beginWithFleet(own: Configuration, load: LoadWith): Promise<FleetStart> {
  const store = await ConfigurationStore.open(path.join(own.stateDir, 'fleet.json'));
  const faults: string[] = [];
  const recent = new RecentLines(recentBytesMax);
  const before = store.kept.trial;
  const first = await store.begin(systemClock.now());
  if (before && !store.kept.trial) faults.push(`version ${before.version}: ${store.kept.refused?.reason ?? 'refused'}`);
  for (let taken = first; taken; ) {
    try {
      return { configuration: await load(taken.configuration), store, load, recent, faults };
    } catch (error) {
      const reason = (error as Error).message;
      faults.push(`version ${taken.version}: ${reason}`);
      const isTrial = taken.version === store.kept.trial?.version;
      if (isTrial) await store.refuse(taken.version, reason, systemClock.now());
      taken = isTrial ? store.kept.good : undefined;
    }
  }
  return { configuration: own, store, load, recent, faults };
}
