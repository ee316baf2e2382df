/** Why the daemon can't start, in one sentence for the user. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Turns a part's RangeError about its settings into a StartError: parts check what the schema can't. */
export function refuseConfiguration(error: unknown): never {
  throw error instanceof RangeError ? new StartError(`the configuration can't be used: ${error.message}`) : error;
}
