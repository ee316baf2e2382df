import * as z from 'zod';
import { isSameSettings, type KeylessAcquirer, storedAcquirer } from '../../config/host-terms.ts';
import { inState } from '../../base/domain/written-files.ts';
import { readSecret, writeSecret } from '../../base/secrets/secret-file.ts';

const kept = z.object({ acquirers: z.array(storedAcquirer) });

/** The stored settings of acquirers: in the state directory, or in a test. */
export interface KeptAcquirers {
  readonly all: readonly KeylessAcquirer[];
  of(id: string): KeylessAcquirer | undefined;
  /** Survives a power cut once it resolves. Undefined removes an entry. */
  keep(changes: ReadonlyMap<string, KeylessAcquirer | undefined>): Promise<void>;
}

/**
 * The settings with which each acquirer takes payments, without its key. They change only while nothing of it is queued
 * or unsettled, and before the first payment with the new ones. An intent keeps terminal id and merchant id, but
 * neither address nor protocol of the host: they would be in every record of the journal, for a case that occurs once
 * in years.
 */
export class AcquirersInUse implements KeptAcquirers {
  readonly #file: string;
  #all: readonly KeylessAcquirer[];
  /** Why the file could not be used, in a sentence. */
  readonly fault: string | undefined;

  private constructor(file: string, all: readonly KeylessAcquirer[], fault?: string) {
    this.#file = file;
    this.#all = all;
    this.fault = fault;
  }

  /** A file that can't be used counts as absent: then only the intents of the journal count. */
  static async open(stateDir: string): Promise<AcquirersInUse> {
    const file = inState(stateDir, 'acquirers.json');
    try {
      const text = await readSecret(file);
      const { acquirers } = text === undefined ? { acquirers: [] } : kept.parse(JSON.parse(text));
      return new AcquirersInUse(file, acquirers as unknown as readonly KeylessAcquirer[]);
    } catch {
      return new AcquirersInUse(file, [], `${file} can't be read: what the journal tells of its acquirers counts`);
    }
  }

  get all(): readonly KeylessAcquirer[] {
    return this.#all;
  }

  of(id: string): KeylessAcquirer | undefined {
    return this.#all.find((each) => each.id === id);
  }

  /** Rejects with the system's error. Settings that are already stored are not written again. */
  async keep(changes: ReadonlyMap<string, KeylessAcquirer | undefined>): Promise<void> {
    const others = this.#all.filter(({ id }) => !changes.has(id));
    const next = [...others, ...[...changes.values()].filter((each) => each !== undefined)];
    const isSame = next.length === this.#all.length && next.every((each) => isSameSettings(each, this.of(each.id)));
    if (isSame) return;
    await writeSecret(this.#file, JSON.stringify({ acquirers: next }));
    this.#all = next;
  }
}
