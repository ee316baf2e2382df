import { plainText } from '../../base/domain/plain-text.ts';
import type { TracedLine } from '../../observability/trace-request.ts';

/** A recorded message with one field per line. */
export function messageLines({ at, acquirer, direction, mti, bytes, parts, fault }: TracedLine): readonly string[] {
  const way = direction === 'sent' ? 'to' : 'from';
  const why = fault === undefined ? '' : `  (${fault})`;
  const lines = parts.flatMap(({ field, name, bytes: length, value, objects }) => [
    `${String(field).padStart(5)}  ${name.padEnd(42)}  ${valueText(value, length, objects !== undefined)}`,
    ...(objects ?? []).map(
      (each) => `       ${each.tag.padEnd(6)}  ${each.name.padEnd(34)}  ${valueText(each.value, each.bytes, false)}`,
    ),
  ]);
  return [`${at}  ${way} ${acquirer}  ${mti ?? 'no message'}  ${bytes} bytes${why}`, ...lines].map(plainText);
}

/** A hidden value is replaced by its length. */
export function valueText(value: string | undefined, bytes: number, isOpened: boolean): string {
  if (value !== undefined) return value;
  return isOpened ? '' : `not shown, ${bytes} bytes`;
}
