/**
 * The canonical name of an IANA time zone, as Intl has it: 'asia/hong_kong' and 'Hongkong' are 'Asia/Hong_Kong'.
 * Undefined for any other text, and for an offset ('+08:00'): Intl takes it, but the C library's TZ does not.
 *
 * Only canonical names are used. They are the same to Intl, to Date and to TZ, also on a machine without the package
 * tzdata: there TZ=PRC is UTC to Date and Asia/Shanghai to Intl.
 */
export function canonicalTimeZone(name: string): string | undefined {
  if (/^[+-]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
