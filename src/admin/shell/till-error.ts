/** Why a command of a till could not be carried out, in a sentence, and the exit code. */
export class TillError extends Error {
  override readonly name = 'TillError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
