// Times of the shop, independent of the browser's time zone.
import { style } from './style-answer.js';

/** @type {Intl.DateTimeFormatOptions} */
const hourAndMinute = { hour: '2-digit', minute: '2-digit' };
/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/**
 * The instant `at` with these parts of it, as of Intl.DateTimeFormat; empty without an instant.
 * @type {(at: string, parts?: Intl.DateTimeFormatOptions) => string}
 */
export function timeText(at, parts = hourAndMinute) {
  if (at === '') return '';
  const key = Object.keys(parts).join();
  const format = formats.get(key) ?? formatOf(parts);
  formats.set(key, format);
  return format.format(new Date(at)).replace(',', '');
}

/**
 * A browser that is older than the zone's name shows its own time.
 * @type {(parts: Intl.DateTimeFormatOptions) => Intl.DateTimeFormat}
 */
function formatOf(parts) {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: style.timeZone });
  } catch {
    return new Intl.DateTimeFormat('en-GB', parts);
  }
}
