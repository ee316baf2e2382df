import type { OpenTap } from '../wires/tap.ts';
import type { OctopusCard } from './card.ts';

export interface OctopusAgentOptions {
  /** Path of the Unix stream socket: at most 107 bytes, the kernel's limit. */
  readonly path: string;
  readonly cards: readonly OctopusCard[];
  readonly deviceId?: string;
  readonly companyId?: string;
  readonly now?: () => Date;
  /** Called for each connection. */
  readonly openTap?: OpenTap;
}

import type { CardFaults } from './library.ts';

/**
 * Faults of agent, reader and card; a missing field stays as it is. `silent`, `unplug` and `readerAbsent` stay until
 * they are switched off; the others affect the next matching call.
 */
export interface OctopusFault extends CardFaults {
  /** The agent and its socket have vanished; false brings them back. */
  readonly unplug?: boolean;
  /** Requests are carried out, but not answered. A poll ends at once. */
  readonly silent?: boolean;
  /** The next answer is cut short: its line is not JSON. */
  readonly garble?: boolean;
  /** The next successful deduction takes the value and closes the connection instead of answering. */
  readonly disconnectDuringDeduct?: boolean;
}

export interface OctopusState {
  /** The socket exists. */
  readonly plugged: boolean;
  /** A daemon is connected to it. */
  readonly connected: boolean;
  readonly silent: boolean;
  /** A poll waits for a card. */
  readonly polling: boolean;
  /** Name of the card at the reader. */
  readonly heldCard?: string;
  /** The incomplete deduction whose card must come back; of several, the one that began last. */
  readonly incomplete?: { readonly cardId: string; readonly reference: string };
}

export type LinkFaults = Pick<OctopusFault, 'silent' | 'garble' | 'disconnectDuringDeduct'>;
