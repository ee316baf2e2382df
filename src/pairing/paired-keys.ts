import { stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readSecret, writeSecret } from '../secrets/secret-file.ts';

const pairedKey = z.strictObject({
  posId: z.string(),
  keyId: z.string(),
  /** 32 bytes, hex. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
  /** ISO 8601. */
  pairedAt: z.string(),
});
export type PairedKey = z.infer<typeof pairedKey>;

/** More are not paired: the oldest has to go first. */
const most = 64;

/**
 * The keys of the paired points of sale, in the state directory. Looked at anew each time: one that is revoked is gone at once.
 * Reading the file for each call would make a call without a key dear.
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
    // What was read may be newer than its version, never older: then it is read once more.
    this.#known = { version, keys };
    return keys;
  }

  /** Another for each file that has taken the place of one before. */
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
      throw new Error(`${this.#file} holds no keys: take it away and pair again`);
    }
  }

  /** Called when this process has changed them. */
  onWritten(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async #write(keys: readonly PairedKey[]): Promise<void> {
    await writeSecret(this.#file, JSON.stringify(keys));
    for (const listener of this.#listeners) listener();
  }

  /** One POS has one key: a new one takes the place of the one before. 'full' where there are too many. */
  async put(added: PairedKey): Promise<'full' | undefined> {
    const others = (await this.all()).filter(({ posId }) => posId !== added.posId);
    if (others.length >= most) return 'full';
    await this.#write([...others, added]);
    return undefined;
  }

  /** Whether there was one. */
  async remove(posId: string): Promise<boolean> {
    const all = await this.all();
    const left = all.filter((each) => each.posId !== posId);
    if (left.length === all.length) return false;
    await this.#write(left);
    return true;
  }
}
