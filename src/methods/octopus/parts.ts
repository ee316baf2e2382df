import type { OctopusReader } from '../../base/ports/octopus-reader.ts';
import type { SessionParts } from '../../payment/method/order.ts';

/** Milliseconds. */
export interface OctopusWaits {
  /** How long to wait for the same card to return, and the interval between attempts. */
  readonly octopusIncompleteMs: number;
  readonly octopusRetryMs: number;
  /** How long a reader that does not answer is asked. */
  readonly octopusSilentMs: number;
}

export interface OctopusParts extends SessionParts {
  readonly octopus: OctopusReader;
  readonly waits: OctopusWaits;
}
