import type { TraceNumbers } from '../base/domain/trace-numbers.ts';
import type { Random } from '../base/ports/clock.ts';

/** Trace, invoice and batch numbers are n6: 1 follows 999999 (ISO 8583 fields 11, 60, 62). */
export const numberMax = 999_999;

/**
 * The maximum jump of batch numbers, so that a batch still to be settled is not taken for a later one of the same
 * number.
 */
export const batchesMax = 400_000;

/**
 * The first numbers of a new journal, at random. A lost journal has used numbers that its host still knows, and this
 * machine's clock may be wrong, so neither may decide.
 */
export function firstNumbers(random: Random): TraceNumbers {
  const bytes = Buffer.from(random.bytes(18));
  const number = (at: number) => (bytes.readUIntBE(at, 6) % numberMax) + 1;
  return { stan: number(0), invoice: number(6), batch: number(12) };
}

/** More numbers than a terminal assigns in a day, and a small part of all. */
export const dayOfNumbers = 5_000;
