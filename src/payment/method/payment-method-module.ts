import type * as z from 'zod';
import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { LineReport } from '../../base/domain/line-security.ts';
import type { CardReader } from '../../base/ports/card-reader.ts';
import type { MonotonicClock, Random } from '../../base/ports/clock.ts';
import type { CodeScanner } from '../../base/ports/code-scanner.ts';
import type { OctopusReader } from '../../base/ports/octopus-reader.ts';
import type { Journal } from '../contracts/journal.ts';
import type { KeyCounters } from '../contracts/key-counter.ts';
import type { LateAnswer } from '../contracts/late-answer.ts';
import type { LineMessageListener } from '../contracts/line-message.ts';
import type { RecognitionListener } from '../contracts/terminal-recognition.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { AcquirerProfile } from '../transaction/acquirer-profile.ts';
import type { Acquirer, QueueNews } from './acquirer.ts';
import type { MethodDescription } from './description.ts';
import type { Queue } from './order.ts';
import type { PaymentMethod } from './payment-method.ts';

/**
 * A payment method as the terminal registers it. `Configured`: the part of the configuration that it reads; a method of
 * the product has its own settings there, any other one has entries of `methods`.
 */
export interface PaymentMethodModule<Configured = never> {
  readonly description: MethodDescription;
  /** The description on a terminal with this configuration, for a method whose description depends on it. */
  describe?(configured: Configured): MethodDescription;
  /** Its entries of `methods` in the configuration. It gets only these, as the schema has read them. */
  readonly entries?: MethodEntries;
  /** Throws RangeError if its settings are invalid. The message names the setting, and never quotes its value. */
  open(configured: Configured, parts: MethodParts): OpenedMethod | Promise<OpenedMethod>;
}

export interface MethodEntries {
  /** The `protocol` that names it. */
  readonly protocol: string;
  /** One entry, with `id` and `protocol`. */
  readonly schema: z.ZodType<{ readonly id: string; readonly protocol: string }>;
}

export interface OpenedMethod {
  /** None if this terminal lacks what the method needs. */
  readonly methods: readonly PaymentMethod[];
  readonly acquirers: readonly Acquirer[];
  /** Called before the open batch of an acquirer is settled. Rejects with JournalError. */
  beforeSettlement?(acquirerId: AcquirerId): Promise<void>;
  /** Ends its work besides payments. The terminal closes its acquirers and devices. */
  close?(): Promise<void>;
}

/** The parts of the terminal that a method may use. */
export interface MethodParts {
  readonly reader: CardReader;
  /** Devices that not every terminal has. */
  readonly scanner?: CodeScanner;
  readonly octopus?: OctopusReader;
  /** Opens the cash drawer; undefined without a printer that can. */
  readonly openDrawer: (() => Promise<unknown>) | undefined;
  readonly openHosts: HostOpener;
  /** The acquirers of all methods, once each method is open. */
  readonly acquirers: ReadonlyMap<AcquirerId, Acquirer>;
  readonly journal: Journal;
  readonly queue: Pick<Queue, 'flush' | 'enqueue'>;
  readonly clock: MonotonicClock;
  readonly random: Random;
  /** The counters of DUKPT keys. Absent on a terminal without a state directory. */
  readonly keyCounters?: KeyCounters;
  /** Whether the terminal prints the receipt of this transaction. */
  readonly printsReceipt: (record: TransactionRecord) => boolean;
  readonly reports: MethodReports;
}

/** A method's reports to the terminal, besides the outcome of a payment. */
export interface MethodReports {
  /** A queued message of this transaction is not needed any more. */
  readonly onThrough: (what: QueueNews, id: TerminalTransactionId) => void;
  /** An unrequested event has changed the journal. `id`: the transaction that it changed, if it is one. */
  readonly onHeard: (what: string, id?: TerminalTransactionId) => void;
  /** A host has sent an answer that no request waits for. */
  readonly onLateAnswer: (answer: LateAnswer) => void;
  readonly onRecognition: RecognitionListener;
  /** Called when a fault of the connection to a host begins, changes or ends. */
  readonly onLine?: (news: LineNews) => void;
  /** Called when new payments go to another site of a host. */
  readonly onSite?: (news: { readonly acquirerId: AcquirerId; readonly site: string }) => void;
  /** Called with each message to or from a card host. It must not throw. */
  readonly onMessage?: LineMessageListener;
  /** `part`: its name in the log. */
  readonly onFailure: (part: string, error: unknown) => void;
}

export interface LineNews extends LineReport {
  readonly acquirerId: AcquirerId;
}

/**
 * Opens the hosts of configured acquirers. An acquirer whose settings were changed while its money was unsettled is
 * opened with its former settings, and gets the present ones when it is released; so is one that was removed.
 */
export type HostOpener = <Settings extends { readonly id: string }, Host extends object>(
  configured: readonly Settings[],
  protocol: HostProtocol<Settings, Host>,
) => Promise<readonly OpenedHost<Host>[]>;

export interface HostProtocol<Settings, Host extends object> {
  /** `surroundings`: the clock and network of a simulation. Throws RangeError. */
  open(settings: Settings, options?: object): OpenedHost<Host> | Promise<OpenedHost<Host>>;
  /**
   * The settings that were stored without their key, completed for `open`. Undefined if they are of another protocol,
   * or can't be completed. `present`: those of the configuration, if it still has the acquirer.
   */
  restore(stored: { readonly protocol: string }, present: Settings | undefined): Settings | undefined;
  /** Closes the host's connections. */
  close(host: Host): Promise<void>;
}

export interface OpenedHost<Host extends object> {
  readonly profile: AcquirerProfile;
  readonly host: Host;
}
