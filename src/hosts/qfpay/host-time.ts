const digits = '2-digit';
const shape = {
  year: 'numeric',
  month: digits,
  day: digits,
  hour: digits,
  minute: digits,
  second: digits,
  hourCycle: 'h23',
} as const;

/** `txdtm`: `YYYY-MM-DD hh:mm:ss` in the host's time zone. Throws RangeError for an unknown zone or an invalid date. */
export function hostDateTime(at: Date, timeZone = 'Asia/Hong_Kong'): string {
  const format = formatOf(timeZone);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const join = (types: Intl.DateTimeFormatPartTypes[], by: string) => types.map((type) => parts.get(type)).join(by);
  return `${join(['year', 'month', 'day'], '-')} ${join(['hour', 'minute', 'second'], ':')}`;
}

/** Formats are cached: they are expensive to create, and an enquiry needs several. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', { ...shape, timeZone });
  formats.set(timeZone, made);
  return made;
}

const form = /^\d{4}-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/;

/** hhmmss and MMDD of `sysdtm`. */
export function hostTimes(text: unknown): { readonly hostTime: string; readonly hostDate: string } | undefined {
  // A JSON object may not be convertible to text: `{"toString":1}` throws.
  if (typeof text !== 'string') return undefined;
  const [, month, day, hour, minute, second] = form.exec(text) ?? [];
  if (month === undefined) return undefined;
  return { hostTime: `${hour}${minute}${second}`, hostDate: `${month}${day}` };
}

export function wallText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** The host's local time in milliseconds, as if it were UTC: used for differences and months only. */
export function wallTimeMs(text: unknown): number | undefined {
  if (!hostTimes(text)) return undefined;
  const ms = Date.parse(`${(text as string).replace(' ', 'T')}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
