import { pino } from 'pino';
import { plainText } from '../domain/plain-text.ts';

/**
 * A JSON line of the log for a person: time of the process's zone in ISO 8601, with its offset, level by name, the transaction, the event, then its fields as
 * name=value. A value
 * that is more than one word is in quotation marks, with its control characters escaped: what a till sends can't write
 * to the terminal.
 */
export function readableLine(line: string): string {
  const { time, level, msg, terminalTransactionId: id, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const name = pino.levels.labels[Number(level)] ?? String(level);
  const whose = typeof id === 'string' ? [id] : [];
  const told = Object.entries(fields).map(([field, value]) => `${field}=${plainValue(value)}`);
  return `${[localTime(new Date(Number(time))), name.padEnd(5), ...whose, plainText(String(msg)), ...told].join(' ')}\n`;
}

function plainValue(value: unknown): string {
  const text = String(value);
  return /^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(text) && !text.includes('"') ? text : plainText(JSON.stringify(text));
}

/** By Date, because Intl loads all zones for it. */
export function localTime(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const offset = `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
  return new Date(at.getTime() + minutes * 60_000).toISOString().replace('Z', offset);
}
