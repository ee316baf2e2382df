/**
 * ISO 8601 with an offset, as this interface tells times too. A `+` that a query string has turned into a space is
 * taken for what it was.
 */
const instant = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d)(\.\d{1,9})?)?(?:Z|([ +-])(\d\d):?(\d\d))$/;

/** Undefined for anything but a real moment with its offset from UTC, from 1970 on. */
export function parseInstant(text: string): Date | undefined {
  const match = instant.exec(text);
  if (!match) return undefined;
  const [, day = '', minute = '', second = '00', fraction = '', sign, hours = '00', minutes = '00'] = match;
  const local = new Date(`${day}T${minute}:${second}${fraction.slice(0, 4)}Z`);
  // A day that its month does not have would be taken for one of the next month.
  if (Number.isNaN(local.getTime()) || local.toISOString().slice(0, 10) !== day) return undefined;
  if (Number(hours) > 14 || Number(minutes) > 59) return undefined;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  const at = new Date(local.getTime() - offsetMs);
  return at.getTime() < 0 ? undefined : at;
}
