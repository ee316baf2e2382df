import type { Amount } from '../domain/amount.ts';
import type { Instrument } from '../domain/capability.ts';
import type { CollectMode, PreferredEntryMode } from '../domain/entry-mode.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { PaymentScheme } from '../domain/payment-scheme.ts';
import type { TransactionType } from '../domain/transaction-type.ts';
import type { AcquirerProfile } from './decide.ts';

/** What a request says of how it is to be paid. */
export interface PaymentTerms {
  readonly type: TransactionType;
  readonly amount: Amount;
  readonly preferredEntryMode?: PreferredEntryMode | undefined;
  readonly preferredInstrument?: Instrument | undefined;
  readonly forcedAcquirer?: AcquirerId | undefined;
  readonly cashbackMinor?: bigint | undefined;
  readonly tipMinor?: bigint | undefined;
  readonly originalId?: TerminalTransactionId | undefined;
}

/** One way to collect a payment, as a method offers it: what the merchant chooses between on the screen. */
export interface CollectingMode {
  readonly mode: CollectMode;
  /** The `preferredEntryMode` that asks for it; none for one that only the merchant chooses. */
  readonly preferredAs?: PreferredEntryMode;
  /** It is armed while the merchant chooses. */
  readonly isDefault?: true;
  /** The customer scans a code that is shown here. */
  readonly showsCode?: true;
  /** The customer may get cash with it, out of the amount. */
  readonly givesCash?: true;
  /** The device that it needs is configured. */
  readonly isEquipped: boolean;
  /** Why it can't be collected now; nothing where it can. */
  notReady(): string | undefined;
  /** No payment that this may be chosen for begins while it is not ready. */
  readonly mustBeReady?: true;
  /** All payment schemes that it may come to, with whatever acquirers. */
  readonly schemes: readonly PaymentScheme[];
  /** Those of them that it comes to with these acquirers. */
  schemesOf(offers: readonly AcquirerProfile[]): readonly PaymentScheme[];
  /** Whether a request of this kind, with this tip or cash, can be collected so. */
  fits(terms: PaymentTerms): boolean;
}

/** What this terminal has to take payments with. */
export interface Means {
  /** In the order in which they are asked. */
  readonly profiles: readonly AcquirerProfile[];
  /** In the order in which the merchant is offered them. */
  readonly modes: readonly CollectingMode[];
}
