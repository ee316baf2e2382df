import { createHash } from 'node:crypto';
import * as z from 'zod';
import { readSecret, writeSecret } from '../../base/secrets/secret-file.ts';

/** A start with a configuration on trial is tried so often: a power cut in one of them is no verdict. */
const startsMost = 3;
const didNotComeUp = 'the terminal did not come up with it';

/** A document as it was signed: whoever has the fleet's keys can check it again. */
const signedDocument = z.object({
  /** Base64. */
  payload: z.string().max(131_072),
  signature: z.string().max(128),
});

const adopted = z.object({
  version: z.number(),
  /** SHA-256 of the document: one version is one document. */
  digest: z.string(),
  configuration: z.record(z.string(), z.unknown()),
  /** Absent in a file of 0.1.0, until the broker has sent the document again. */
  signed: signedDocument.optional(),
});
const refused = z.object({ version: z.number(), reason: z.string(), at: z.string() });

const kept = z.object({
  /** Whose they are. A version before did not tell. */
  terminal: z.string().optional(),
  good: adopted.optional(),
  trial: adopted.extend({ starts: z.number() }).optional(),
  refused: refused.optional(),
  /** The highest version that was given up after it was on trial: neither it nor an older one is tried again. */
  abandoned: z.number().optional(),
});

export type SignedDocument = z.infer<typeof signedDocument>;
export type AdoptedConfiguration = z.infer<typeof adopted>;
export type KeptConfigurations = z.infer<typeof kept>;

/** The configurations that the fleet has sent: the last good one, one on trial, and what was refused last. */
export class ConfigurationStore {
  readonly #file: string;
  readonly #terminal: string | undefined;
  #kept: KeptConfigurations;
  /** The terminal whose configurations these were, if it is another one: they are not used. */
  readonly former: string | undefined;

  private constructor(file: string, found: KeptConfigurations, terminal: string | undefined) {
    this.#file = file;
    this.#terminal = terminal;
    const isOther = terminal !== undefined && found.terminal !== undefined && found.terminal !== terminal;
    this.former = isOther ? found.terminal : undefined;
    this.#kept = isOther ? {} : found;
  }

  /**
   * `terminal`: what the machine is called, by `terminalOf`; without it, whoever's they are. Rejects with the system's error,
   * and with an Error for a file that is none of these.
   */
  static async open(file: string, terminal?: string): Promise<ConfigurationStore> {
    const text = await readSecret(file);
    const found = text === undefined ? {} : kept.parse(JSON.parse(text));
    // A version before kept no more than this of what it gave up.
    if (found.abandoned === undefined && found.refused?.reason === didNotComeUp)
      found.abandoned = found.refused.version;
    return new ConfigurationStore(file, found, terminal);
  }

  get kept(): KeptConfigurations {
    return this.#kept;
  }

  /** The next start is with it. */
  async try(candidate: AdoptedConfiguration): Promise<void> {
    await this.#write({ ...this.#kept, trial: { ...candidate, starts: 0 } });
  }

  /** Keeps the signed bytes of what is in use. */
  async keepSigned(signed: SignedDocument): Promise<void> {
    const { good } = this.#kept;
    if (good) await this.#write({ ...this.#kept, good: { ...good, signed } });
  }

  /**
   * Which configuration this start is with. One on trial is counted before it is used: if the terminal did not come up with it, it
   * is given up, and the last good one is taken.
   */
  async begin(now: Date): Promise<AdoptedConfiguration | undefined> {
    const { good, trial } = this.#kept;
    // From now on the file tells whose it is, also what a version before has written, and nothing of a former terminal.
    const isUntold = this.#terminal !== undefined && (good ?? trial) && this.#kept.terminal !== this.#terminal;
    if (this.former !== undefined || isUntold) await this.#write(this.#kept);
    if (!trial) return good;
    if (trial.starts >= startsMost) {
      await this.refuse(trial.version, didNotComeUp, now);
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
    const { good, trial } = this.#kept;
    const isTrial = trial?.version === version;
    await this.#write({
      ...(good ? { good } : {}),
      ...(trial && !isTrial ? { trial } : {}),
      refused: { version, reason, at: now.toISOString() },
      ...(isTrial ? { abandoned: Math.max(version, this.#kept.abandoned ?? 0) } : {}),
    });
  }

  async #write(next: KeptConfigurations): Promise<void> {
    const terminal = this.#terminal ?? this.#kept.terminal;
    const abandoned = next.abandoned ?? this.#kept.abandoned;
    const reported = {
      ...next,
      ...(terminal === undefined ? {} : { terminal }),
      ...(abandoned === undefined ? {} : { abandoned }),
    };
    await writeSecret(this.#file, JSON.stringify(reported));
    this.#kept = reported;
  }
}

/**
 * What tells one terminal from another: a state directory that is moved to another machine has another one. `name`: at the
 * broker; the serial number by default.
 */
export function terminalOf(serialNumber: string | undefined, name: string | undefined): string {
  return [serialNumber ?? '', name === serialNumber ? '' : (name ?? '')].join(' ').trim();
}

export function digestOf(payload: Uint8Array): string {
  return createHash('sha256').update(payload).digest('hex');
}
