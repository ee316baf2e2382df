import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { JournalStore } from '../../src/journal/store.ts';
import type { Chance } from '../e2e/chance.ts';
import type { Acknowledged } from './committed.ts';
import { numbered } from './events.ts';
import type { PoweredDisk } from './power.ts';

/** What came of a power cut. */
export interface Cut {
  /** Commits before it. */
  readonly acknowledged: number;
  /** What was acknowledged and is not there, what is there by half, and what SQLite finds wrong. */
  readonly faults: readonly string[];
}

/** The latest cut after the first commit. */
const commitMs = 60;
/** A journal of so many payments is followed by a new one: each cut looks at all of it. */
const paymentsMost = 1_500;

/**
 * Power cuts under a process that writes payments into a journal on `disk`: everything that it had acknowledged must be there after
 * each, in whole commits. `committer`: the process's program.
 */
export class PowerCuts {
  readonly #disk: PoweredDisk;
  readonly #committer: string;
  readonly #chance: Chance;
  readonly #acknowledged = new Map<number, number>();
  readonly #stans = new Set<number>();
  #ordinal = 1;
  #journals = 1;

  constructor(disk: PoweredDisk, committer: string, chance: Chance) {
    this.#disk = disk;
    this.#committer = committer;
    this.#chance = chance;
  }

  async next(): Promise<Cut> {
    await this.#disk.on();
    if (this.#acknowledged.size > paymentsMost) this.#startAnew();
    const file = path.join(this.#disk.dir, `journal-${this.#journals}.db`);
    const child = fork(this.#committer, [file, String(this.#ordinal)], { execArgv: [] });
    const exited = once(child, 'exit');
    const faults: string[] = [];
    let acknowledged = 0;
    child.on('message', () => acknowledged++);
    const heard = this.#heard(child, faults);
    await Promise.race([heard, exited]);
    await pause(this.#chance.next() * commitMs);
    await this.#disk.cut(child);
    child.kill('SIGKILL');
    await exited;
    await this.#disk.off();
    await this.#disk.on();
    faults.push(...this.#missing(file));
    await this.#disk.off();
    return { acknowledged, faults };
  }

  #startAnew(): void {
    this.#acknowledged.clear();
    this.#stans.clear();
    for (const name of readdirSync(this.#disk.dir)) {
      if (name.startsWith('journal-')) rmSync(path.join(this.#disk.dir, name));
    }
    this.#journals++;
  }

  /** Settles with the first acknowledgement. */
  #heard(child: ChildProcess, faults: string[]): Promise<void> {
    return new Promise((resolve) => {
      child.on('message', (message: Acknowledged | { failed: string }) => {
        // The cut itself: the disk answers no more.
        if ('failed' in message) return;
        const { ordinal, events, stan } = message;
        this.#acknowledged.set(ordinal, events);
        if (stan !== undefined && this.#stans.has(stan)) faults.push(`trace number ${stan} was given twice`);
        if (stan !== undefined) this.#stans.add(stan);
        resolve();
      });
    });
  }

  #missing(file: string): string[] {
    const faults: string[] = [];
    const store = new JournalStore(file);
    try {
      for (const [ordinal, events] of this.#acknowledged) {
        const found = store.read(numbered(ordinal)).length;
        if (found < events) faults.push(`${found} of ${events} acknowledged events of ${ordinal}`);
        else if (![1, 2, 5].includes(found)) faults.push(`half a commit, ${found} events of ${ordinal}`);
      }
    } finally {
      store.close();
    }
    const database = new DatabaseSync(file);
    try {
      // Of what was committed and not heard of any more nothing is said; it is only not begun anew.
      const last = database.prepare(`SELECT max(CAST(substr(message_id, 3) AS INTEGER)) AS ordinal FROM txn`).get();
      this.#ordinal = Number(last?.['ordinal'] ?? 0) + 1;
      const integrity = String(database.prepare('PRAGMA integrity_check').get()?.['integrity_check']);
      if (integrity !== 'ok') faults.push(integrity);
    } finally {
      database.close();
    }
    return faults;
  }
}
