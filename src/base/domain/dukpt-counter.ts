/**
 * The transaction counter of a key serial number of triple DES DUKPT (ANSI X9.24-1:2009, annex A): its lowest 21 bits.
 */
export const ksnBytes = 10;
const counterBits = 21;
const counterMax = (1 << counterBits) - 1;

/** Counters with more one bits are skipped (A.1), so 1,048,575 keys can be used. */
export const onesMax = 10;

/** The highest one bit that a counter can have. */
export const highestBit = 1 << (counterBits - 1);

/** The counter of a key serial number in hexadecimal. */
export function counterOf(ksn: string): number {
  return Number.parseInt(ksn.slice(-6), 16) & counterMax;
}

/** The key serial number in hexadecimal with another counter. */
export function withCounter(ksn: string, counter: number): string {
  const high = Number.parseInt(ksn.slice(-6), 16) & ~counterMax;
  const low = (high | counter).toString(16).padStart(6, '0');
  return (ksn.slice(0, -6) + low).toUpperCase();
}

/** The usable counter `steps` further, or else the last usable one. Undefined if there is none. */
export function counterAfter(counter: number, steps = 1): number | undefined {
  let last: number | undefined;
  let next = counter;
  for (let step = 0; step < steps; step++) {
    next += 1;
    // The skipped numbers have at least as many one bits.
    while (onesIn(next) > onesMax) next += next & -next;
    if (next > counterMax) return last;
    last = next;
  }
  return last;
}

/** The number of one bits of a counter. */
export function onesIn(counter: number): number {
  let ones = 0;
  for (let rest = counter; rest !== 0; rest &= rest - 1) ones += 1;
  return ones;
}
