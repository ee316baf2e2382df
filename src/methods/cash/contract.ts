import { amount, having } from '../../base/domain/stored-shape.ts';
import type { IntentCommon, IntentForm } from '../../payment/events/payment-instrument.ts';

export interface CashIntent extends IntentCommon {
  readonly operation: 'sale';
  /** The amount tendered, minor units as decimal digits. */
  readonly cash: { readonly tenderedMinor: string };
}

export const cashForm = {
  field: 'cash',
  isWhole: having({ cash: having({ tenderedMinor: amount }) }),
  instrumentOf: () => ({
    name: 'cash',
    scheme: 'CASH',
    entryMode: 'CASH',
    maskedNumber: '',
    instrumentType: 'CASH',
    undo: 'reversal',
  }),
} as const satisfies IntentForm<CashIntent>;

export const cashScreen = { scenes: ['tenderCash'], hints: [] } as const;

export interface CashView {
  /** Outcome of a cash payment. */
  readonly tendered?: string;
  readonly change?: string;
}

/** Cash received, major units as text: '50' or '50.00'. */
export interface CashAction {
  readonly kind: 'tender';
  readonly amount: string;
}
