const hongKongMs = 8 * 3_600_000;

/** YYYY-MM-DD hh:mm:ss. Hong Kong is 8 hours ahead of UTC the whole year. */
export function hongKongTime(at: Date): string {
  return new Date(at.getTime() + hongKongMs).toISOString().slice(0, 19).replace('T', ' ');
}

/** Whether it is YYYY-MM-DD hh:mm:ss and a time that exists. */
export function isTime(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return false;
  const at = new Date(`${text.replace(' ', 'T')}.000Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text.replace(' ', 'T'));
}

export function sameDay(one: Date, other: Date): boolean {
  return hongKongTime(one).slice(0, 10) === hongKongTime(other).slice(0, 10);
}
