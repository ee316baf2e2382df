import { type Chance, seeded } from './chance.ts';
import { Lane, type LineDirection, type LineEvent, type LineFaults, type Turn } from './lane.ts';
import type { Pty } from './pty.ts';

export interface SpoiltLine extends Pty {
  readonly seed: number;
  /** The faults so far, at most the first 10,000. */
  readonly record: readonly LineEvent[];
  /** Sets other rates, from the next byte on. */
  spoil(faults: LineFaults): void;
  /** Called when a fault has unplugged the line: the device loses its state. */
  onUnplugged(listener: () => void): void;
}

const turnsMaxDefault = 8;
const recordMax = 10_000;

/**
 * A line with faults in both directions. Each direction has its own generator, and each byte draws the same number of
 * random numbers. So the fate of a byte depends only on the seed and its position, not on how writes were cut or which
 * end was faster. Delays count turns of the event loop, not time.
 */
export function spoilt(
  line: Pty,
  chance: Chance,
  faults: LineFaults,
  turn: Turn = (then) => void setImmediate(then),
): SpoiltLine {
  return new LineWithFaults(line, chance, faults, turn);
}

class LineWithFaults implements SpoiltLine {
  readonly seed: number;
  readonly record: LineEvent[] = [];
  readonly link: string;
  readonly #line: Pty;
  readonly #toHost: Lane;
  readonly #toDevice: Lane;
  readonly #dataListeners: ((chunk: Buffer) => void)[] = [];
  readonly #unpluggedListeners: (() => void)[] = [];
  #rates: Required<LineFaults>;
  #isPluggedIn = true;

  constructor(line: Pty, chance: Chance, faults: LineFaults, turn: Turn) {
    this.#line = line;
    this.#rates = checked(faults);
    this.seed = chance.seed;
    this.link = line.link;
    this.#toHost = this.#lane('toHost', chance, turn, (bytes) => line.write(bytes));
    this.#toDevice = this.#lane('toDevice', chance, turn, (bytes) => {
      for (const listener of this.#dataListeners) listener(bytes);
    });
    line.onData((chunk) => {
      if (this.#isPluggedIn) this.#toDevice.push(chunk);
    });
  }

  get plugged(): boolean {
    return this.#isPluggedIn && this.#line.plugged;
  }

  write(bytes: Uint8Array): void {
    if (this.#isPluggedIn) this.#toHost.push(bytes);
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.#dataListeners.push(listener);
  }

  onUnplugged(listener: () => void): void {
    this.#unpluggedListeners.push(listener);
  }

  spoil(faults: LineFaults): void {
    this.#rates = checked(faults);
  }

  unplug(): Promise<void> {
    return this.#pullOut(() => this.#line.unplug());
  }

  async plug(): Promise<void> {
    await this.#line.plug();
    this.#isPluggedIn = true;
  }

  close(): Promise<void> {
    return this.#pullOut(() => this.#line.close());
  }

  #lane(direction: LineDirection, chance: Chance, turn: Turn, deliver: (bytes: Buffer) => void): Lane {
    return new Lane({
      direction,
      chance: seeded(chance.next() * 2 ** 32),
      rates: () => this.#rates,
      deliver,
      happened: (event) => {
        if (this.record.length < recordMax) this.record.push(event);
      },
      pullOut: () => {
        void this.unplug();
        for (const listener of this.#unpluggedListeners) listener();
      },
      turn,
    });
  }

  #pullOut(action: () => Promise<void>): Promise<void> {
    this.#isPluggedIn = false;
    this.#toHost.clear();
    this.#toDevice.clear();
    return action();
  }
}

function checked(faults: LineFaults): Required<LineFaults> {
  const { turnsMax = turnsMaxDefault, ...named } = faults;
  const rates = { flip: 0, lose: 0, repeat: 0, cut: 0, hold: 0, delay: 0, unplug: 0, ...named };
  for (const [name, rate] of Object.entries(rates)) {
    if (!(rate >= 0 && rate <= 1)) throw new RangeError(`${name} is a rate, 0 to 1`);
  }
  if (!Number.isInteger(turnsMax) || turnsMax < 1) throw new RangeError('turnsMax is a whole number from 1');
  return { ...rates, turnsMax };
}
