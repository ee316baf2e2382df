import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { inState } from '../base/domain/written-files.ts';
import type { MonotonicClock } from '../base/ports/clock.ts';
import { readSecret, writeSecret } from '../base/secrets/secret-file.ts';

/** Digits only, because the screen has only a keypad. */
export const passwordForm = /^\d{6,32}$/;

/** Parameters of scrypt (RFC 7914, 2). */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  /** Bytes. */
  readonly maxmem: number;
}

/** One attempt takes 32 MB of memory and some tenths of a second on a terminal. */
export const passwordCost: ScryptCost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const hashBytes = 32;

const hex = z.string().regex(/^(?:[0-9a-f]{2})+$/);
const stored = z.strictObject({
  salt: hex,
  hash: hex,
  /** Number of wrong attempts in a row, and the time of the last one, by which earlier versions count the delay. */
  failures: z.number().int().min(0),
  failedAt: z.number(),
});
type Stored = z.infer<typeof stored>;

/** After this many wrong attempts in a row, each further one must wait twice as long as the one before. */
const freeTries = 3;
const firstPauseMs = 5_000;
const pauseMostMs = 900_000;

export type Try =
  | { readonly kind: 'right' }
  /** `waitMs`: the delay before the next attempt is accepted. */
  | { readonly kind: 'wrong'; readonly waitMs: number }
  | { readonly kind: 'wait'; readonly waitMs: number }
  | { readonly kind: 'none' };

/**
 * The operator's password, stored as a hash in the state directory. Reading and writing reject with the system's error.
 */
export class OperatorPassword {
  readonly #file: string;
  readonly #clock: MonotonicClock;
  readonly #cost: ScryptCost;
  #last: Promise<unknown> = Promise.resolve();
  /** The last wrong attempt, or the start of this process, in monotonic time. */
  #failedMs: number;

  constructor(stateDir: string, clock: MonotonicClock, cost = passwordCost) {
    this.#file = inState(stateDir, 'operator.json');
    this.#clock = clock;
    this.#cost = cost;
    this.#failedMs = clock.elapsedMs();
  }

  async isSet(): Promise<boolean> {
    return (await this.#read()) !== undefined;
  }

  /** Throws RangeError if the password is not 6 to 32 digits. */
  async set(password: string): Promise<void> {
    if (!passwordForm.test(password))
      throw new RangeError('the password must be 6 to 32 digits: the screen has a keypad');
    const salt = randomBytes(16);
    const hash = await hashPassword(password, salt, this.#cost);
    await this.#write({ salt: salt.toString('hex'), hash: hash.toString('hex'), failures: 0, failedAt: 0 });
  }

  /** Attempts run one after the other: two at once would count as one. */
  try(password: string): Promise<Try> {
    const tried = this.#last.then(() => this.#try(password));
    this.#last = tried.catch(() => undefined);
    return tried;
  }

  async #try(password: string): Promise<Try> {
    const known = await this.#read();
    if (!known) return { kind: 'none' };
    const waitMs = this.#waitMs(known);
    if (waitMs > 0) return { kind: 'wait', waitMs };
    // Counted before the comparison, so that pulling the plug does not give a free attempt.
    const failed = { ...known, failures: known.failures + 1, failedAt: this.#clock.now().getTime() };
    this.#failedMs = this.#clock.elapsedMs();
    await this.#write(failed);
    const hash = await hashPassword(password, Buffer.from(known.salt, 'hex'), this.#cost);
    if (!timingSafeEqual(hash, Buffer.from(known.hash, 'hex'))) return { kind: 'wrong', waitMs: this.#waitMs(failed) };
    await this.#write({ ...known, failures: 0, failedAt: 0 });
    return { kind: 'right' };
  }

  /** Setting the machine's clock changes nothing. After a restart the delay begins again. */
  #waitMs({ failures }: Stored): number {
    if (failures < freeTries) return 0;
    const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(failures - freeTries, 20), pauseMostMs);
    return Math.max(0, Math.ceil(this.#failedMs + pauseMs - this.#clock.elapsedMs()));
  }

  async #read(): Promise<Stored | undefined> {
    const text = await readSecret(this.#file);
    if (text === undefined) return undefined;
    try {
      return stored.parse(JSON.parse(text));
    } catch {
      throw new Error(`${this.#file} is not an operator's password: set it again with 'poid operator-password'`);
    }
  }

  #write(value: Stored): Promise<void> {
    return writeSecret(this.#file, JSON.stringify(value));
  }
}

function hashPassword(password: string, salt: Uint8Array, cost: ScryptCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
