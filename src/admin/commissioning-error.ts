/** The reason, in one sentence, why a commissioning command did nothing. */
export class CommissioningError extends Error {
  override readonly name = 'CommissioningError';
}

/** The same because of unsettled money, which the lines list. */
export class UnsettledError extends CommissioningError {
  constructor(what: string, lines: readonly string[]) {
    super(`${what}: there is unsettled money\n${lines.join('\n')}`);
  }
}
