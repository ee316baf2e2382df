/** Called with a command or flags that do not fit together. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
