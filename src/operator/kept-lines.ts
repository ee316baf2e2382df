import { open, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../base/ports/clock.ts';

/** A durable file of lines of JSON, each with its time: the last one to two times `bytesMax` of them. */
export class KeptLines {
  readonly #file: string;
  readonly #bytesMax: number;
  readonly #clock: Pick<Clock, 'now'>;
  #turn: Promise<void> = Promise.resolve();

  constructor(file: string, bytesMax: number, clock: Pick<Clock, 'now'>) {
    this.#file = file;
    this.#bytesMax = bytesMax;
    this.#clock = clock;
  }

  /** Survives a power cut once this resolves. Rejects with the system's error. */
  write(entry: object): Promise<void> {
    const line = JSON.stringify({ at: this.#clock.now().toISOString(), ...entry });
    const written = this.#turn.then(() => this.#append(`${line}\n`));
    this.#turn = written.catch(() => undefined);
    return written;
  }

  /** All stored lines, the oldest first. Rejects with the system's error. */
  async read(): Promise<readonly string[]> {
    await this.#turn;
    const texts = [await textOf(`${this.#file}.1`), await textOf(this.#file)];
    return texts.flatMap((text) => text.split('\n')).filter((line) => line !== '');
  }

  async #append(line: string): Promise<void> {
    const size = await absent(stat(this.#file).then((each) => each.size));
    const isFull = size !== undefined && size + line.length > this.#bytesMax;
    if (isFull) await rename(this.#file, `${this.#file}.1`);
    const handle = await open(this.#file, 'a', 0o600);
    try {
      await handle.writeFile(line);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (size === undefined || isFull) await syncDirectory(path.dirname(this.#file));
  }
}

async function textOf(name: string): Promise<string> {
  return (await absent(readFile(name, 'utf8'))) ?? '';
}

/** Undefined where there is no such file. */
async function absent<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
