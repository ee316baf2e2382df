import type { OctopusReader } from '../../ports/octopus-reader.ts';
import type { SessionParts } from '../order.ts';

/** Milliseconds. */
export interface OctopusWaits {
  /** How long the same card may take to come back, and how often it is asked for meanwhile. */
  readonly octopusIncompleteMs: number;
  readonly octopusRetryMs: number;
  /** How long a reader that says nothing is asked. */
  readonly octopusSilentMs: number;
}

export interface OctopusParts extends SessionParts {
  readonly octopus: OctopusReader;
  readonly waits: OctopusWaits;
}
