import { statfs } from 'node:fs/promises';
import { Counter, Gauge, type Registry } from 'prom-client';

export interface MeasuredMachine {
  /** The directory of the journal. */
  readonly directory: string;
  /** How often the reader was armed; undefined for one that does not count. */
  readonly readerTurns: () => number | undefined;
  /** How many lines of the log could not be written. */
  readonly lostLines: () => number;
  /** How often each part that is not money has failed. */
  readonly partFailures: () => ReadonlyMap<string, number>;
}

interface Space {
  readonly free: number;
  readonly size: number;
}

/** Metrics of the machine that Node's own metrics lack: the journal's disk, the reader and the log. */
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
    countUp(registry, {
      name: 'poid_reader_turns_total',
      help: 'How often the card reader was armed, as it was known some seconds ago',
      total: () => machine.readerTurns() ?? 0,
    });
    countUp(registry, {
      name: 'poid_log_lines_lost_total',
      help: 'Lines of the log that could not be written, because nobody reads them or the disk is full',
      total: machine.lostLines,
    });
    countFailures(registry, machine.partFailures);
  }

  /** Starts to read the disk. Its answer is reported at the next scrape, so that no scrape waits for a disk. */
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

/** A counter whose value is counted elsewhere. */
function countUp(
  registry: Registry,
  { name, help, total }: { readonly name: string; readonly help: string; readonly total: () => number },
): void {
  const counter = new Counter({
    name,
    help,
    registers: [],
    collect() {
      this.reset();
      this.inc(total());
    },
  });
  registry.registerMetric(counter);
}

function countFailures(registry: Registry, failures: MeasuredMachine['partFailures']): void {
  const counter = new Counter({
    name: 'poid_part_failures_total',
    help: 'Uncaught exceptions in a part outside of payments; the part and payments continued',
    labelNames: ['part'],
    registers: [],
    collect() {
      this.reset();
      for (const [part, count] of failures()) this.inc({ part }, count);
    },
  });
  registry.registerMetric(counter);
}
