import { createHash } from 'node:crypto';
import * as z from 'zod';
import { readSecret, writeSecret } from '../secrets/secret-file.ts';

/** A start with a configuration on trial is tried so often: a power cut in one of them is no verdict. */
const startsMost = 3;

const adopted = z.object({
  version: z.number(),
  /** SHA-256 of the document: one version is one document. */
  digest: z.string(),
  configuration: z.record(z.string(), z.unknown()),
});
const refused = z.object({ version: z.number(), reason: z.string(), at: z.string() });

const kept = z.object({
  good: adopted.optional(),
  trial: adopted.extend({ starts: z.number() }).optional(),
  refused: refused.optional(),
});

export type AdoptedConfiguration = z.infer<typeof adopted>;
export type KeptConfigurations = z.infer<typeof kept>;

/** The configurations that the fleet has sent: the last good one, one on trial, and what was refused last. */
export class ConfigurationStore {
  readonly #file: string;
  #kept: KeptConfigurations;

  private constructor(file: string, present: KeptConfigurations) {
    this.#file = file;
    this.#kept = present;
  }

  /** Rejects with the system's error, and with an Error for a file that is none of these. */
  static async open(file: string): Promise<ConfigurationStore> {
    const text = await readSecret(file);
    return new ConfigurationStore(file, text === undefined ? {} : kept.parse(JSON.parse(text)));
  }

  get kept(): KeptConfigurations {
    return this.#kept;
  }

  /** The next start is with it. */
  async try(candidate: AdoptedConfiguration): Promise<void> {
    await this.#write({ ...this.#kept, trial: { ...candidate, starts: 0 } });
  }

  /**
   * Which configuration this start is with. One on trial is counted before it is used: if the terminal did not come up with it, it
   * is given up, and the last good one is taken.
   */
  async begin(now: Date): Promise<AdoptedConfiguration | undefined> {
    const { good, trial } = this.#kept;
    if (!trial) return good;
    if (trial.starts >= startsMost) {
      await this.refuse(trial.version, 'the terminal did not come up with it', now);
      return good;
    }
    await this.#write({ ...this.#kept, trial: { ...trial, starts: trial.starts + 1 } });
    return trial;
  }

  /** The terminal has come up. */
  async confirm(): Promise<void> {
    const { trial, refused: last } = this.#kept;
    if (!trial) return;
    const { starts: _, ...good } = trial;
    await this.#write({ good, ...(last && last.version > good.version ? { refused: last } : {}) });
  }

  async refuse(version: number, reason: string, now: Date): Promise<void> {
    const { good } = this.#kept;
    await this.#write({ ...(good ? { good } : {}), refused: { version, reason, at: now.toISOString() } });
  }

  async #write(next: KeptConfigurations): Promise<void> {
    await writeSecret(this.#file, JSON.stringify(next));
    this.#kept = next;
  }
}

export function digestOf(payload: Uint8Array): string {
  return createHash('sha256').update(payload).digest('hex');
}
