import { pino } from 'pino';
import { plainText } from '../domain/plain-text.ts';

/**
 * A JSON line of the log for a person: time in ISO 8601, level by name, the transaction, the event, then its fields as
 * name=value. A value
 * that is more than one word is in quotation marks, with its control characters escaped: what a till sends can't write
 * to the terminal.
 */
export function readableLine(line: string): string {
  const { time, level, msg, terminalTransactionId: id, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const name = pino.levels.labels[Number(level)] ?? String(level);
  const whose = typeof id === 'string' ? [id] : [];
  const told = Object.entries(fields).map(([field, value]) => `${field}=${plainValue(value)}`);
  return `${[new Date(Number(time)).toISOString(), name.padEnd(5), ...whose, plainText(String(msg)), ...told].join(' ')}\n`;
}

function plainValue(value: unknown): string {
  const text = String(value);
  return /^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(text) && !text.includes('"') ? text : plainText(JSON.stringify(text));
}
