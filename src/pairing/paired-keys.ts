import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { readSecret, writeSecret } from '../secrets/secret-file.ts';

const pairedKey = z.strictObject({
  posId: z.string(),
  keyId: z.string(),
  /** 32 bytes, hex. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
  /** ISO 8601. */
  pairedAt: z.string(),
  /** Agreed with the present key, and not used yet: the present one is good until then. */
  next: z.strictObject({ keyId: z.string(), key: z.string().regex(/^[0-9a-f]{64}$/) }).optional(),
});
export type PairedKey = z.infer<typeof pairedKey>;

/** Maximum number of paired POS; one must be unpaired before another is paired. */
const most = 64;

/**
 * The keys of paired points of sale, in the state directory. The file is checked for each call, so that a revoked key
 * is invalid at once; it is read again only if it has changed, because reading it for every call would make calls
 * without a key expensive.
 */
export class PairedKeys {
  readonly #file: string;
  readonly #listeners: (() => void)[] = [];
  #known: { readonly version: string; readonly keys: readonly PairedKey[] } | undefined;

  constructor(stateDir: string) {
    this.#file = path.join(stateDir, 'pairings.json');
  }

  async all(): Promise<readonly PairedKey[]> {
    const version = await this.#version();
    if (this.#known?.version === version) return this.#known.keys;
    const keys = await this.#read();
    // The keys may be newer than the version, never older: then the file is read once more.
    this.#known = { version, keys };
    return keys;
  }

  /** A value that changes when the file is replaced. */
  async #version(): Promise<string> {
    try {
      const { ino, size, mtimeNs, ctimeNs } = await stat(this.#file, { bigint: true });
      return [ino, size, mtimeNs, ctimeNs].join(' ');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none';
      throw error;
    }
  }

  async #read(): Promise<readonly PairedKey[]> {
    const text = await readSecret(this.#file);
    if (text === undefined) return [];
    try {
      return z.array(pairedKey).parse(JSON.parse(text));
    } catch {
      throw new Error(`${this.#file} holds no valid keys: delete it and pair again`);
    }
  }

  /** Called when this process has changed the keys. */
  onWritten(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async #write(keys: readonly PairedKey[]): Promise<void> {
    await writeSecret(this.#file, JSON.stringify(keys));
    for (const listener of this.#listeners) listener();
  }

  /** Stores a key. A POS has one key, so a new one replaces the old one. Returns 'full' if there are too many. */
  async put(added: PairedKey): Promise<'full' | undefined> {
    const others = (await this.all()).filter(({ posId }) => posId !== added.posId);
    if (others.length >= most) return 'full';
    await this.#write([...others, added]);
    return undefined;
  }

  /** Keeps the key that follows, beside the present one of this name. Returns whether that is still there. */
  async prepare(keyId: string, next: NonNullable<PairedKey['next']>): Promise<boolean> {
    const all = await this.all();
    await this.#write(all.map((each) => (each.keyId === keyId ? { ...each, next } : each)));
    return all.some((each) => each.keyId === keyId);
  }

  /** The key that followed is the present one from now on, and the former is good no more. */
  async adopt(keyId: string): Promise<void> {
    const all = await this.all();
    await this.#write(
      all.map(({ next, ...each }) => {
        if (next === undefined) return each;
        return next.keyId === keyId ? { ...each, ...next } : { ...each, next };
      }),
    );
  }

  /** Removes a key; returns whether there was one. */
  async remove(posId: string): Promise<boolean> {
    const all = await this.all();
    const left = all.filter((each) => each.posId !== posId);
    if (left.length === all.length) return false;
    await this.#write(left);
    return true;
  }
}
