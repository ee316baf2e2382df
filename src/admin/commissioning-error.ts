/** Why a command of the line did nothing, in one sentence. */
export class CommissioningError extends Error {
  override readonly name = 'CommissioningError';
}

/** The same because of money that is not settled. Each line tells some of it. */
export class UnsettledError extends CommissioningError {
  constructor(what: string, lines: readonly string[]) {
    super(`${what}: there is unsettled money\n${lines.join('\n')}`);
  }
}
