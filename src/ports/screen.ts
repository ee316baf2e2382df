/** What the payment app shows. Text only: no card data, no digits of a PIN. */
export interface ScreenView {
  readonly scene: 'idle' | 'presentCard' | 'processing' | 'approved' | 'declined' | 'error';
  /** '30.00', with `currency`; absent when idle. */
  readonly amount?: string;
  readonly currency?: string;
  /** One sentence for the customer. */
  readonly hint?: string;
}

export interface Screen {
  show(view: ScreenView): void;
}
