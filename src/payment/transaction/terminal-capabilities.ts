import type { Instrument } from '../../base/domain/capability.ts';
import type { CollectMode, PreferredEntryMode, PaymentScheme } from '../../base/domain/payment-scheme.ts';
import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Refusal } from '../../base/domain/reason.ts';
import type { AcquirerProfile } from './acquirer-profile.ts';
import type { Merchants } from './merchants.ts';
import type { OptionTerms, SaleOption } from '../options/sale-option.ts';

/** How a request asks to be paid. */
export interface PaymentTerms extends OptionTerms {
  readonly preferredEntryMode?: PreferredEntryMode | undefined;
  readonly preferredInstrument?: Instrument | undefined;
  readonly forcedAcquirer?: AcquirerId | undefined;
  readonly originalId?: TerminalTransactionId | undefined;
  /** The merchant that is paid; absent: the first. */
  readonly merchantId?: string | undefined;
}

/** One way to collect a payment: an option that the merchant is offered on the screen. */
export interface CollectingMode {
  readonly mode: CollectMode;
  /** The `preferredEntryMode` that selects it; absent if only the merchant can choose it. */
  readonly preferredAs?: PreferredEntryMode;
  /** Armed while the merchant chooses. */
  readonly isDefault?: true;
  /** The terminal shows a code, which the customer scans. */
  readonly showsCode?: true;
  /** Can give the customer cash out of the amount. */
  readonly givesCash?: true;
  /** The device that it needs is configured. */
  readonly isEquipped: boolean;
  /** Why it can't be used now; undefined if it can. */
  notReady(): Refusal | undefined;
  /** A payment that may use this mode is refused while the mode is not ready. */
  readonly mustBeReady?: true;
  /** All payment schemes that it may lead to, with any acquirers. */
  readonly schemes: readonly PaymentScheme[];
  /** The schemes that it leads to with these acquirers. */
  schemesOf(offers: readonly AcquirerProfile[]): readonly PaymentScheme[];
  /** Whether it can collect a request of this kind, with this tip or cashback. */
  fits(terms: PaymentTerms): boolean;
}

/** The acquirers and modes of this terminal. */
export interface TerminalCapabilities {
  /** In the order in which they are asked. */
  readonly profiles: readonly AcquirerProfile[];
  /** In the order in which they are offered to the merchant. */
  readonly modes: readonly CollectingMode[];
  /** The questions besides the payment, in this order. */
  readonly options?: readonly SaleOption[];
  /** Absent: no merchants. */
  readonly merchants?: Merchants;
}
