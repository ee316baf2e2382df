/** A change of what the terminal does, as its watchers hear of it. No card data, no digits of a PIN. */
export interface TerminalEvent {
  readonly state: 'collecting' | 'authorizing' | 'approved' | 'declined' | 'error' | 'settling' | 'idle';
  /** Within collecting and authorizing: 'presentingCard', 'enteringPin'. */
  readonly step?: string;
  /** What the customer is told beside it, as the screen's code: 'removeCard'. */
  readonly hint?: string;
  /** Whose transaction it is. */
  readonly posId?: string;
  readonly messageId?: string;
  readonly terminalTransactionId?: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
}

/** Who watches the terminal. */
export interface TerminalEvents {
  /** Never throws, never waits. What is the same as before is told to nobody. */
  tell(event: Omit<TerminalEvent, 'at'>): void;
}
