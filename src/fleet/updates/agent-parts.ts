import type { Random, MonotonicClock } from '../../base/ports/clock.ts';
import type { DdiClient } from './ddi-client.ts';
import type { Artifact, Downloaded } from './download.ts';
import type { Installer, Machine } from './installer.ts';
import type { ActionStore } from './state-file.ts';

export interface AgentLog {
  info(event: string, fields?: { readonly reason?: string; readonly state?: string }): void;
  warn(event: string, fields?: { readonly reason?: string; readonly state?: string }): void;
}

export interface AgentParts {
  readonly ddi: DdiClient;
  readonly store: ActionStore;
  readonly installer: Installer;
  readonly machine: Machine;
  /** Path of the only bundle. */
  readonly bundle: string;
  download(artifact: Artifact): Promise<Downloaded>;
  /** Removes the downloaded file, complete or not. */
  discard(): Promise<void>;
  /** Why the terminal can't be stopped now; undefined if no payment runs and nothing is unfinished. */
  busy(): Promise<string | undefined>;
  /** Whether the maintenance window is open; a forced action may have another. */
  isOpen(isForced: boolean): Promise<boolean>;
  /** The terminal's attributes for hawkBit. */
  attributes(): Promise<Readonly<Record<string, string>>>;
  readonly clock: MonotonicClock;
  readonly random: Random;
  readonly log: AgentLog;
  readonly limits: AgentLimits;
}

export interface AgentLimits {
  readonly pollMs: number;
  readonly bundleBytesMax: number;
}
