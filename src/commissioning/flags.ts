/** Flags of the commands of the line. Which of them a command takes is in the usage. */
export interface CommissioningFlags {
  readonly config?: string | undefined;
  readonly 'state-dir'?: string | undefined;
  readonly wait?: string | undefined;
  readonly json?: boolean | undefined;
}
