/** Why the daemon can't start, in one sentence for whoever started it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** What no schema can see of a configuration, the parts themselves refuse. */
export function refuseConfiguration(error: unknown): never {
  throw error instanceof RangeError ? new StartError(`the configuration can't be used: ${error.message}`) : error;
}
