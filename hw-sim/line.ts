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
  const record: LineEvent[] = [];
  const dataListeners: ((chunk: Buffer) => void)[] = [];
  const unpluggedListeners: (() => void)[] = [];
  let rates = checked(faults);
  let isPluggedIn = true;

  const lane = (direction: LineDirection, deliver: (bytes: Buffer) => void): Lane =>
    new Lane({
      direction,
      chance: seeded(chance.next() * 2 ** 32),
      rates: () => rates,
      deliver,
      happened: (event) => {
        if (record.length < recordMax) record.push(event);
      },
      pullOut: () => {
        void pulled(() => line.unplug());
        for (const listener of unpluggedListeners) listener();
      },
      turn,
    });
  const toHost = lane('toHost', (bytes) => line.write(bytes));
  const toDevice = lane('toDevice', (bytes) => {
    for (const listener of dataListeners) listener(bytes);
  });
  const pulled = (action: () => Promise<void>): Promise<void> => {
    isPluggedIn = false;
    toHost.clear();
    toDevice.clear();
    return action();
  };

  line.onData((chunk) => {
    if (isPluggedIn) toDevice.push(chunk);
  });
  return {
    seed: chance.seed,
    record,
    link: line.link,
    get plugged() {
      return isPluggedIn && line.plugged;
    },
    write(bytes) {
      if (isPluggedIn) toHost.push(bytes);
    },
    onData: (listener) => void dataListeners.push(listener),
    onUnplugged: (listener) => void unpluggedListeners.push(listener),
    spoil(next) {
      rates = checked(next);
    },
    unplug: () => pulled(() => line.unplug()),
    async plug() {
      await line.plug();
      isPluggedIn = true;
    },
    close: () => pulled(() => line.close()),
  };
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
