import type { TraceNumbers } from '../domain/trace-numbers.ts';
import type { Random } from '../ports/clock.ts';

/** Trace, invoice and batch numbers are n6: after 999999 comes 1 (ISO 8583 fields 11, 60, 62). */
export const numberMax = 999_999;

/** Batches go on so far ahead, at most, that one that is still to be settled is not taken for a later one of its number. */
export const batchesMax = 400_000;

/**
 * Where the numbers of a journal begin. By chance alone: a journal that was lost began somewhere too, its host has those numbers
 * still, and this machine's clock may be wrong.
 */
export function firstNumbers(random: Random): TraceNumbers {
  const bytes = Buffer.from(random.bytes(18));
  const number = (at: number) => (bytes.readUIntBE(at, 6) % numberMax) + 1;
  return { stan: number(0), invoice: number(6), batch: number(12) };
}

/** More numbers than a terminal gives out in a day, and a small part of all. */
export const dayOfNumbers = 5_000;
