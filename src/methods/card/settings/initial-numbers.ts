import * as z from 'zod';
import type { InitialNumbers } from '../../../base/domain/identifiers.ts';

const number = z.number().int().min(1).max(999_999);

/** The first numbers of an acquirer, as its bank assigned them to this terminal. */
export const initialNumbers = z
  .strictObject({
    until: z.iso
      .date()
      .describe('the last day, UTC, on which a new journal begins with them: a later one may replace a lost journal'),
    batch: number.exactOptional().describe('the first batch'),
    invoice: number.exactOptional().describe('the first invoice number'),
    stan: number.exactOptional().describe('the first trace number, field 11'),
  })
  .describe('the first numbers of its batches, invoices and traces, if its bank assigns them; random if absent');

const dayMs = 86_400_000;

/** Undefined if none are configured, or if the day `until` is over. */
export function initialNumbersAt(
  settings: z.infer<typeof initialNumbers> | undefined,
  now: Date,
): InitialNumbers | undefined {
  if (!settings) return undefined;
  const { until, ...numbers } = settings;
  return now.getTime() < Date.parse(until) + dayMs ? numbers : undefined;
}
