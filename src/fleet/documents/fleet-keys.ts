import * as z from 'zod';
import { inState } from '../../base/domain/written-files.ts';
import { appendSecret, readSecret, writeSecret } from '../../base/secrets/secret-file.ts';

const adopted = z.object({
  /** The terminal, and the keys of its own file. If either differs, the adopted keys do not apply. */
  terminal: z.string(),
  own: z.array(z.string()),
  keys: z.array(z.string()),
  version: z.number(),
});
const droppedKey = z.object({ key: z.string(), version: z.number(), at: z.string() });

/** A key that a document has dropped, and the version of that document. */
export type DroppedKey = z.infer<typeof droppedKey>;

/** A public key has several Base64 texts: two bits of the last of 43 characters are unused. */
export function canonicalKey(text: string): string {
  return Buffer.from(text, 'base64').toString('base64');
}

/**
 * The keys that may sign documents. Initially they are those of the terminal's own file. A document that names keys
 * replaces them until another one does. The keys are stored apart from the document, because a later document replaces
 * all of it. A dropped key is never valid again: dropped keys have a file of their own, a line for each, which only
 * grows and which a factory reset keeps.
 */
export class FleetKeys {
  readonly #dir: string;
  readonly #terminal: string;
  readonly #own: readonly string[];
  #adopted: z.infer<typeof adopted> | undefined;
  /** The stored keys belong to other keys of the terminal's own file, or to another terminal. */
  #isOfOthers = false;
  #dropped: readonly DroppedKey[];

  private constructor(dir: string, terminal: string, own: readonly string[], dropped: readonly DroppedKey[]) {
    this.#dir = dir;
    this.#terminal = terminal;
    this.#own = own.map(canonicalKey);
    this.#dropped = dropped;
  }

  /** `own`: the keys of the terminal's own file. Rejects with the system's error. */
  static async open(dir: string, terminal: string, own: readonly string[]): Promise<FleetKeys> {
    const keys = new FleetKeys(dir, terminal, own, await readDroppedKeys(dir));
    const found = adopted.safeParse(parsed(await readSecret(fileOf(dir)))).data;
    const isOurs = found?.terminal === terminal && found.own.join() === keys.#own.join();
    keys.#adopted = isOurs ? found : undefined;
    keys.#isOfOthers = found !== undefined && !isOurs;
    return keys;
  }

  get dropped(): readonly DroppedKey[] {
    return this.#dropped;
  }

  get inForce(): readonly string[] {
    return (this.#adopted?.keys ?? this.#own).filter((key) => !this.droppedBy(key));
  }

  /**
   * Whether the keys of this version, which is in use, may not be adopted yet: a power cut came in between, or an
   * earlier version has adopted it. Keys that were named before the terminal's own file was changed are not adopted
   * again.
   */
  mayLack(version: number): boolean {
    return !this.#isOfOthers && version > (this.#adopted?.version ?? 0);
  }

  droppedBy(key: string): DroppedKey | undefined {
    const canonical = canonicalKey(key);
    return this.#dropped.find((each) => each.key === canonical);
  }

  /** Why these keys can't replace those in force; undefined if they can. `signer`: the key that signed the document. */
  refusal(keys: readonly string[], signer: string): string | undefined {
    if (!keys.map(canonicalKey).includes(canonicalKey(signer)))
      return 'fleet.publicKeys drops the key that signed it: add the new key first, then drop the old one with a document signed by the new key';
    for (const key of keys) {
      const dropped = this.droppedBy(key);
      if (dropped)
        return `fleet.publicKeys has a key that version ${dropped.version} dropped: it is never valid here again`;
    }
    return undefined;
  }

  /**
   * The document of this version is in use, and names these keys. Dropped keys are stored first, so a power cut leaves
   * a key too few, never one too many. A repeated call has no effect.
   */
  async adopt(version: number, keys: readonly string[], now: Date): Promise<void> {
    const next = keys.map(canonicalKey);
    if (version === this.#adopted?.version && next.join() === this.#adopted.keys.join()) return;
    const dropped = this.inForce
      .filter((key) => !next.includes(key))
      .map((key) => ({ key, version, at: now.toISOString() }));
    this.#dropped = [...this.#dropped, ...dropped];
    this.#adopted = { terminal: this.#terminal, own: [...this.#own], keys: next, version };
    // A line that a power cut has torn ends with the next.
    for (const each of dropped) await appendSecret(droppedFileOf(this.#dir), `\n${JSON.stringify(each)}\n`);
    await writeSecret(fileOf(this.#dir), JSON.stringify(this.#adopted));
  }
}

/** Every key that a document has dropped on this machine. */
export async function readDroppedKeys(dir: string): Promise<readonly DroppedKey[]> {
  return parseDroppedLines((await readSecret(droppedFileOf(dir))) ?? '');
}

/** From any value that the service has provided. */
export function parseDroppedKeys(value: unknown): readonly DroppedKey[] {
  return Array.isArray(value) ? value.flatMap((each: unknown) => droppedKey.safeParse(each).data ?? []) : [];
}

/** The lines of such a file; one that a power cut has torn is none. */
export function parseDroppedLines(text: string): readonly DroppedKey[] {
  return text.split('\n').flatMap((line) => droppedKey.safeParse(parsed(line)).data ?? []);
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function fileOf(dir: string): string {
  return inState(dir, 'fleet-keys.json');
}

export function droppedFileOf(dir: string): string {
  return inState(dir, 'fleet-keys.dropped');
}
