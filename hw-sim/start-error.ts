/** Why the simulator can't start, in one sentence, and the exit code: 2 for a wrong command line, 1 for the rest. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
