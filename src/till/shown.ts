/** A value of an answer as text; empty for none. No control character of a foreign machine reaches this shell's terminal. */
export function shown(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return '';
  return shownLines(String(value)).replaceAll('\n', ' ');
}

/** The same for a text of several lines. */
export function shownLines(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]/gu, '');
}
