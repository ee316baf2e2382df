import type {
  OctopusCard,
  OctopusDeduct,
  OctopusDeduction,
  OctopusFinding,
  OctopusReader,
  OctopusUpload,
} from '../../src/base/ports/octopus-reader.ts';
import type { Dice } from './dice.ts';
import type { Generation } from './generation.ts';
import type { Log } from './log.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface Deduction {
  readonly amountMinor: bigint;
  state: 'deducted' | 'incomplete' | 'none';
  uploaded: boolean;
  /** For an incomplete deduction: when its card is back. */
  backAtMs: number;
  /** The Octopus company has settled it by telephone: a card no longer completes it. */
  byPhone?: true;
}

/** The memory of the operator's reader: a reference is deducted once; after the answer "none", never. */
export class OctopusTill {
  readonly books = new Map<string, Deduction>();
  /** Percentage of deductions that fail in some way. */
  trouble = 0;
  readonly #time: VirtualTime;
  readonly #dice: Dice;
  readonly #log: Log;
  readonly #onLeaving: (reference: string) => void;
  /** The reader is silent until then. */
  #silentUntilMs = 0;

  constructor(time: VirtualTime, dice: Dice, log: Log, onLeaving: (reference: string) => void) {
    this.#time = time;
    this.#dice = dice;
    this.#log = log;
    this.#onLeaving = onLeaving;
  }

  /** The reader for one life of the terminal. */
  reader(generation: Generation, poll: OctopusReader['poll']): OctopusReader {
    const ask = <Answer>(name: string, work: () => Answer, silence: Answer): Promise<Answer> => {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      generation.does(`Octopus ${name}`, () => {
        // The reader carries out a command even if the process that sent it has ended.
        this.#time.in(this.#dice.between(20, 500), () => {
          const answer = work();
          if (this.#dice.odds(this.trouble / 8)) {
            this.#silentUntilMs = this.#time.elapsedMs + this.#dice.between(1_000, 90_000);
            this.#log.counted('Octopus reader silent');
          }
          const lost = this.#dice.odds(this.trouble / 2) || this.#time.elapsedMs < this.#silentUntilMs;
          this.#log.push(`Octopus ${name} -> ${(answer as { kind: string }).kind}${lost ? ', and goes away' : ''}`);
          generation.receives(this.#dice.between(1, lost ? 1_000 : 50), () => resolve(lost ? silence : answer));
        });
      });
      return promise;
    };
    return {
      name: 'simulated Octopus reader',
      deviceId: 'simulated',
      state: 'ready',
      onState: () => () => undefined,
      close: async () => undefined,
      poll,
      deduct: (order) => {
        if (generation.alive) this.#onLeaving(order.reference);
        return ask<OctopusDeduction>('deduct', () => this.#deduct(order), { kind: 'unknown' });
      },
      find: (reference) => ask<OctopusFinding>('find', () => this.#find(reference), { kind: 'unanswered' }),
      upload: () => ask<OctopusUpload>('upload', () => this.#upload(), { kind: 'unanswered' }),
    };
  }

  /** The cards that were pulled away come back, or never will. */
  heal(): void {
    this.trouble = 0;
    this.#silentUntilMs = 0;
    for (const deduction of this.books.values()) {
      if (deduction.state === 'incomplete' && !deduction.byPhone)
        deduction.state = this.#dice.odds(50) ? 'deducted' : 'none';
    }
  }

  /** The Octopus company's word to the operator. */
  settledByPhone(id: string): void {
    for (const [reference, deduction] of this.books) if (reference.startsWith(`${id}-`)) deduction.byPhone = true;
  }

  /** Settles only some of them, so that the terminal looks for the other cards for a while. */
  get hasDecidedByPhone(): boolean {
    return [...this.books.values()].some(({ byPhone }) => byPhone);
  }

  #deduct({ reference, amountMinor }: OctopusDeduct): OctopusDeduction {
    const known = this.books.get(reference);
    if (known?.state === 'deducted') return deducted(known);
    if (known?.state === 'none') return { kind: 'refused', reason: 'cardUnusable', code: 100_021 };
    if (known && this.#time.elapsedMs < known.backAtMs) {
      return this.#dice.odds(50) ? { kind: 'otherCard' } : { kind: 'tryAgain', code: 100_032 };
    }
    const outcome = this.#dice.one<Deduction['state'] | 'otherCard' | 'tryAgain' | 'insufficient'>([
      [100, 'deducted'],
      [this.trouble * 2, 'incomplete'],
      [this.trouble, 'otherCard'],
      [this.trouble, 'tryAgain'],
      [known ? 0 : this.trouble, 'insufficient'],
    ]);
    switch (outcome) {
      case 'deducted':
      case 'incomplete': {
        const awayMs = this.#dice.one([
          [2, this.#dice.between(500, 10_000)],
          [2, this.#dice.between(31_000, 300_000)],
          [1, Infinity],
        ]);
        const backAtMs = this.#time.elapsedMs + awayMs;
        const deduction: Deduction = { amountMinor, state: outcome, uploaded: false, backAtMs };
        this.books.set(reference, deduction);
        if (outcome === 'deducted') return this.#said(deduction);
        this.#log.counted('Octopus incomplete');
        return { kind: 'incomplete', code: 100_022 };
      }
      case 'insufficient':
        return { kind: 'insufficient', code: 100_048, balanceMinor: 100n };
      case 'otherCard':
        return { kind: 'otherCard' };
      case 'tryAgain':
      case 'none':
        return { kind: 'tryAgain', code: 100_032 };
      default:
        return outcome satisfies never;
    }
  }

  /** A card that is taken away at once may give a read error after its value was taken. */
  #said(deduction: Deduction): OctopusDeduction {
    if (!this.#dice.odds(this.trouble / 2)) return deducted(deduction);
    this.#log.counted('Octopus read error after a deduction');
    return { kind: 'tryAgain', code: this.#dice.of([100_016, 100_017, 100_034]) };
  }

  #find(reference: string): OctopusFinding {
    const known = this.books.get(reference);
    if (known?.state === 'deducted') return { ...deducted(known), kind: 'deducted' };
    if (known?.state === 'incomplete') return { kind: 'incomplete' };
    if (!known) this.books.set(reference, { amountMinor: 0n, state: 'none', uploaded: false, backAtMs: 0 });
    return { kind: 'none' };
  }

  #upload(): OctopusUpload {
    const file = [...this.books.values()].filter(({ state, uploaded }) => state === 'deducted' && !uploaded);
    for (const deduction of file) deduction.uploaded = true;
    return {
      kind: 'uploaded',
      count: file.length,
      totalMinor: file.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
    };
  }
}

function deducted({ amountMinor }: Deduction): Extract<OctopusDeduction, { kind: 'deducted' }> {
  const card: OctopusCard = { cardId: '12345678', balanceMinor: 50_000n - amountMinor };
  return { kind: 'deducted', card, receipt: 'R-1' };
}
