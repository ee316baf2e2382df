/** This terminal's identity and place, for its host. */
export interface TerminalIdentity {
  /** Field 41, 8 characters. */
  readonly tid: string;
  /** Field 42, 15 characters. */
  readonly mid: string;
  /** Field 24, 3 digits; absent if the host's messages have no NII. */
  readonly nii?: string | undefined;
  /** ISO 3166-1 numeric, 3 digits: tag 9F1A, if the reader does not provide it. */
  readonly countryNumeric?: string | undefined;
  /** Time zone of fields 12 and 13, an IANA name: 'Asia/Hong_Kong'. Default: the process's zone. */
  readonly timeZone?: string | undefined;
  /** Constants of this terminal, by their names in the dialect. */
  readonly values?: Readonly<Record<string, string>> | undefined;
}

/**
 * Checks the identity when the terminal starts; otherwise a wrong one would show at the first payment only. Throws
 * RangeError.
 */
export function checkIdentity({ tid, mid, nii = '000', countryNumeric = '000', timeZone }: TerminalIdentity): void {
  if (!/^[\x20-\x7e]{8}$/.test(tid)) throw new RangeError('tid is 8 printable characters');
  if (!/^[\x20-\x7e]{15}$/.test(mid)) throw new RangeError('mid is 15 printable characters');
  if (!/^\d{3}$/.test(nii)) throw new RangeError('nii is 3 digits');
  if (!/^\d{3}$/.test(countryNumeric)) throw new RangeError('countryNumeric is 3 digits');
  localTime(new Date(0), timeZone);
}

/**
 * Fields 12 (hhmmss) and 13 (MMDD) of an instant, and its year. Throws RangeError for an unknown zone or an invalid
 * date.
 */
export function localTime(
  at: Date,
  timeZone: string | undefined,
): { readonly time: string; readonly date: string; readonly year: string } {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const join = (...types: Intl.DateTimeFormatPartTypes[]) => types.map((type) => parts.get(type) ?? '').join('');
  return { time: join('hour', 'minute', 'second'), date: join('month', 'day'), year: join('year') };
}

const formats = new Map<string | undefined, Intl.DateTimeFormat>();

/** Formats are cached: they are expensive to create, and each message needs one. */
function formatOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const digits = '2-digit';
  const shape = { year: 'numeric', hour: digits, minute: digits, second: digits, month: digits, day: digits } as const;
  // The Gregorian calendar and Latin digits of en-GB; h23, because h24 would call midnight 24.
  const made = new Intl.DateTimeFormat('en-GB', { ...shape, hourCycle: 'h23', timeZone });
  formats.set(timeZone, made);
  return made;
}
