import { plainJson } from './domain/plain-text.ts';

/** The reader of standard output has gone, or the disk is full. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

let fault: NodeJS.ErrnoException | undefined;

/** From now on a closed output does not end the process, so that a command completes its work. */
export function outliveReaders(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    fault ??= error;
  });
  process.stderr.on('error', () => undefined);
}

/** A value as JSON for standard output, which may be a terminal. */
export function jsonText(value: unknown): string {
  return plainJson(JSON.stringify(value));
}

/** Writes a part of a long result. Rejects with OutputError once the output is closed. */
export async function print(text: string): Promise<void> {
  const error = await written(text);
  if (error) throw new OutputError(error.message);
}

/**
 * The exit code of a command that only prints: 1 if its output was not taken. A reader that ends early, such as `head`,
 * is not a fault.
 */
export async function codeOfPrinted(code: number): Promise<number> {
  const error = await written('');
  if (!error || error.code === 'EPIPE') return code;
  process.stderr.write(`poid: standard output can't be written (${error.code ?? error.message})\n`);
  return code === 0 ? 1 : code;
}

/** Once it is with the system: what the system did not take, now or before. */
async function written(text: string): Promise<NodeJS.ErrnoException | undefined> {
  const { promise, resolve } = Promise.withResolvers<Error | null | undefined>();
  process.stdout.write(text, resolve);
  const error = await promise;
  return fault ?? error ?? undefined;
}
