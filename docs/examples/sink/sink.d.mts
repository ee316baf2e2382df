/** A row of each message of a commit: what its terminal is told. */
interface Taken {
  readonly terminal: string;
  readonly stream: string;
  readonly seq: string;
  readonly again: boolean;
}

export function openSink(
  broker: object,
  database: object,
  afterCommit?: (rows: readonly Taken[]) => void,
): Promise<{ readonly failed: Promise<Error>; close(): Promise<void> }>;
