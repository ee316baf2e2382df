import { statfs } from 'node:fs/promises';
import { Counter, Gauge, type Registry } from 'prom-client';

export interface MeasuredMachine {
  /** The directory of the journal. */
  readonly directory: string;
  /** How often the reader was armed; undefined for one that does not count. */
  readonly readerTurns: () => number | undefined;
}

interface Space {
  readonly free: number;
  readonly size: number;
}

/** What the terminal runs on, as far as Node's own metrics do not tell it: the journal's disk and the reader. */
export class MachineMetrics {
  readonly #machine: MeasuredMachine;
  readonly #free: Gauge;
  readonly #size: Gauge;
  /** The disk has not answered yet. One that hangs is asked once. */
  #isAsked = false;

  constructor(registry: Registry, machine: MeasuredMachine) {
    this.#machine = machine;
    const registers = [registry];
    this.#free = new Gauge({ name: 'poid_disk_free_bytes', help: 'Free space of the journal’s disk', registers });
    this.#size = new Gauge({ name: 'poid_disk_size_bytes', help: 'Size of the journal’s disk', registers });
    this.#set(undefined);
    const turns = new Counter({
      name: 'poid_reader_turns_total',
      help: 'How often the card reader was armed, as it was known some seconds ago',
      registers: [],
      collect() {
        this.reset();
        this.inc(machine.readerTurns() ?? 0);
      },
    });
    registry.registerMetric(turns);
  }

  /** Starts to read the disk. What it answers is told the next time: nobody who looks waits for a disk. */
  measure(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    statfs(this.#machine.directory)
      .then(({ bavail, blocks, bsize }) => this.#set({ free: bavail * bsize, size: blocks * bsize }))
      .catch(() => this.#set(undefined))
      .finally(() => (this.#isAsked = false));
  }

  #set(space: Space | undefined): void {
    if (space === undefined) {
      this.#free.remove();
      this.#size.remove();
    } else {
      this.#free.set(space.free);
      this.#size.set(space.size);
    }
  }
}
