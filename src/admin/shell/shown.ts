import { plainLines, plainText } from '../../base/domain/plain-text.ts';

/** A value of an answer as text; empty for none. Control characters of a remote machine are escaped. */
export function shown(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return '';
  return plainText(String(value).replaceAll(/\r?\n/g, ' '));
}

/** The same for a text of several lines. */
export function shownLines(text: string): string {
  return plainLines(text.replaceAll('\r\n', '\n'));
}
