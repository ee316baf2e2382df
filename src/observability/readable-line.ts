import { pino } from 'pino';
import { plainText } from '../base/domain/plain-text.ts';

/**
 * A JSON line of the log for the user: time of the process's zone in ISO 8601, with its offset, level by name, the
 * transaction, the event, then its fields as name=value. A value that is more than one word is in quotation marks.
 * Control characters are escaped everywhere, so that text of a POS or of a changed log can't control the terminal. A
 * time outside the range of Date is shown unchanged.
 */
export function readableLine(line: string): string {
  const { time, level, msg, terminalTransactionId: id, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const name = pino.levels.labels[Number(level)] ?? plainText(String(level));
  const whose = typeof id === 'string' ? [plainText(id)] : [];
  const rest = Object.entries(fields).map(([field, value]) => `${plainText(field)}=${plainValue(value)}`);
  return `${[timeText(time), name.padEnd(5), ...whose, plainText(String(msg)), ...rest].join(' ')}\n`;
}

/** The last time of a Date, in every zone. */
const timeMax = 8.64e15 - 86_400_000;

function timeText(time: unknown): string {
  const at = Number(time);
  return Math.abs(at) <= timeMax ? localTime(new Date(at)) : plainText(String(time));
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
