import { createHash } from 'node:crypto';
import * as z from 'zod';
import { readSecret, writeSecret } from '../../base/secrets/secret-file.ts';

/** Maximum number of starts with a configuration on trial: a power cut during one of them proves nothing. */
const startsMost = 3;
const didNotComeUp = 'the terminal did not come up with it';

/** A document as it was signed, so that the signature can be checked again with the fleet's keys. */
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
  /** The terminal that they belong to. Absent in a file of an earlier version. */
  terminal: z.string().optional(),
  good: adopted.optional(),
  trial: adopted.extend({ starts: z.number() }).optional(),
  refused: refused.optional(),
  /** The highest version whose trial failed: neither it nor an older one is tried again. */
  abandoned: z.number().optional(),
});

export type SignedDocument = z.infer<typeof signedDocument>;
export type AdoptedConfiguration = z.infer<typeof adopted>;
export type KeptConfigurations = z.infer<typeof kept>;

/** The configurations that the fleet has sent: the last good one, one on trial, and the last refused one. */
export class ConfigurationStore {
  readonly #file: string;
  readonly #terminal: string | undefined;
  #kept: KeptConfigurations;
  /** The terminal whose configurations these were, if it is another one: they are not used. */
  readonly former: string | undefined;
  /** Whether the file could not be read, and counts as empty. */
  readonly isDamaged: boolean;

  private constructor(file: string, read: KeptConfigurations | undefined, terminal: string | undefined) {
    const found = read ?? {};
    this.#file = file;
    this.isDamaged = !read;
    this.#terminal = terminal;
    const isOther = terminal !== undefined && found.terminal !== undefined && found.terminal !== terminal;
    this.former = isOther ? found.terminal : undefined;
    this.#kept = isOther ? {} : found;
  }

  /**
   * `terminal`: the machine's name, from `terminalOf`; without it, the owner is not checked. A damaged file counts as
   * empty: the broker sends the configuration again. Rejects with the system's error, and with an Error for another kind
   * of file.
   */
  static async open(file: string, terminal?: string): Promise<ConfigurationStore> {
    const text = await readSecret(file);
    const found = text === undefined ? {} : parseKept(text);
    // An earlier version stored only this of a failed configuration.
    if (found?.refused?.reason === didNotComeUp && found.abandoned === undefined)
      found.abandoned = found.refused.version;
    return new ConfigurationStore(file, found, terminal);
  }

  get kept(): KeptConfigurations {
    return this.#kept;
  }

  /** The next start uses it. */
  async try(candidate: AdoptedConfiguration): Promise<void> {
    await this.#write({ ...this.#kept, trial: { ...candidate, starts: 0 } });
  }

  /** Stores the signed bytes of the configuration in use. */
  async keepSigned(signed: SignedDocument): Promise<void> {
    const { good } = this.#kept;
    if (good) await this.#write({ ...this.#kept, good: { ...good, signed } });
  }

  /**
   * The configuration of this start. A start on trial is counted before it begins. If the terminal did not come up with
   * the configuration, it is given up, and the last good one is used.
   */
  async begin(now: Date): Promise<AdoptedConfiguration | undefined> {
    const { good, trial } = this.#kept;
    // From now on the file names its terminal, also if an earlier version has written it, and has no data of a former
    // terminal.
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

  /** The terminal has started. */
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

function parseKept(text: string): KeptConfigurations | undefined {
  try {
    return kept.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * The identity of a terminal. It differs once a state directory is moved to another machine. `name`: at the broker; the
 * serial number by default.
 */
export function terminalOf(serialNumber: string | undefined, name: string | undefined): string {
  return [serialNumber ?? '', name === serialNumber ? '' : (name ?? '')].join(' ').trim();
}

export function digestOf(payload: Uint8Array): string {
  return createHash('sha256').update(payload).digest('hex');
}
