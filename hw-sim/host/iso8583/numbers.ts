/** Numbers that an acquirer assigns. The same seed gives the same numbers, so that a failing run can be replayed. */
export class Numbers {
  #seed: number;
  #serial = 0;

  constructor(seed: number) {
    this.#seed = seed >>> 0;
  }

  /** Field 37, 12 digits: last digit of the year, day of the year, hour, serial number. */
  rrn(at: LocalTime): string {
    this.#serial = (this.#serial % 999_999) + 1;
    return at.yearDigit + at.dayOfYear + at.time.slice(0, 2) + this.#serial.toString().padStart(6, '0');
  }

  /** Field 38, six digits and capitals. */
  approvalCode(): string {
    const alphabet = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ';
    return Array.from({ length: 6 }, () => alphabet.charAt(this.below(alphabet.length))).join('');
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor((this.#next() / 2 ** 32) * limit);
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** xorshift32 (G. Marsaglia, "Xorshift RNGs", 2003) over a Weyl sequence, so that a seed of 0 is as good as any. */
  #next(): number {
    this.#seed = (this.#seed + 0x9e3779b9) >>> 0;
    let x = this.#seed === 0 ? 1 : this.#seed;
    for (let round = 0; round < 3; round++) {
      x ^= x << 13;
      x ^= x >>> 17;
      x ^= x << 5;
    }
    return x >>> 0;
  }
}

/** The host's time, as digits of the message fields. */
export interface LocalTime {
  /** Field 12, hhmmss. */
  readonly time: string;
  /** Field 13, MMDD. */
  readonly date: string;
  readonly yearDigit: string;
  /** 001 to 366. */
  readonly dayOfYear: string;
}

const hongKongMs = 8 * 3_600_000;
const dayMs = 86_400_000;

/** Hong Kong is 8 hours ahead of UTC the whole year. */
export function hongKongTime(at: Date): LocalTime {
  const local = new Date(at.getTime() + hongKongMs);
  const iso = local.toISOString();
  const days = Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / dayMs) + 1;
  return {
    time: iso.slice(11, 19).replaceAll(':', ''),
    date: iso.slice(5, 10).replace('-', ''),
    yearDigit: iso.charAt(3),
    dayOfYear: days.toString().padStart(3, '0'),
  };
}
