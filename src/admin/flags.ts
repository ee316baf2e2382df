/** Flags of the commissioning commands. The usage lists those of each command. */
export interface CommissioningFlags {
  readonly config?: string | undefined;
  readonly 'state-dir'?: string | undefined;
  readonly wait?: string | undefined;
  /** Until no reversal waits, too. */
  readonly reversals?: boolean | undefined;
  /** Another file system, as an image that is being made: every path is below it. */
  readonly root?: string | undefined;
  readonly csv?: boolean | undefined;
  readonly limit?: string | undefined;
  /** Which transactions of the journal. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly of?: string | undefined;
  readonly acquirer?: string | undefined;
  readonly batch?: string | undefined;
  /** Which log, and whether it is followed. */
  readonly file?: string | undefined;
  readonly unit?: string | undefined;
  readonly follow?: boolean | undefined;
  /** The duration, and the file or directory for the output. */
  readonly for?: string | undefined;
  readonly out?: string | undefined;
  readonly json?: boolean | undefined;
  /** A kind of message. */
  readonly sample?: string | undefined;
  readonly 'dry-run'?: boolean | undefined;
  /** provision: sets `security` of card acquirers without it to "none". */
  readonly 'plain-hosts'?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly unattended?: boolean | undefined;
  /** The broker, and the client's identity. */
  readonly url?: string | undefined;
  readonly ca?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly prefix?: string | undefined;
  /** Minutes. */
  readonly silent?: string | undefined;
  /** The serial number, which confirms an action that can't be undone. */
  readonly yes?: string | undefined;
}
