/** Whether the text is YYYY-MM-DD hh:mm:ss and an existing time. */
export function isTime(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return false;
  const at = new Date(`${text.replace(' ', 'T')}.000Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text.replace(' ', 'T'));
}
