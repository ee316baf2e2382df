import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import * as z from 'zod';
import { inState } from '../../base/domain/written-files.ts';
import { appendSecret, readSecret, writeSecret } from '../../base/secrets/secret-file.ts';

/** 32 bytes, hex. */
const secret = z.string().regex(/^[0-9a-f]{64}$/);
/** `createdS`: when the till signed the call that agreed on it, in seconds since 1970. */
const followingKey = z.strictObject({ keyId: z.string(), key: secret, createdS: z.number() });
const pairedKey = z.strictObject({
  posId: z.string(),
  keyId: z.string(),
  key: secret,
  /** ISO 8601. */
  pairedAt: z.string(),
  /** Identifies this pairing, also after later keys. */
  pairing: z.string().optional(),
  /**
   * Agreed with the present key and not used yet, the newest first. The present one is valid until one of them is used.
   */
  following: z.array(followingKey).optional(),
});
export type PairedKey = z.infer<typeof pairedKey>;
export type FollowingKey = z.infer<typeof followingKey>;

/** Maximum number of paired POS; one must be unpaired before another is paired. */
const most = 64;
/** A broker may hold calls back: the key of an older call must not replace that of a newer one. */
const followingMost = 4;

interface Change<Result> {
  /** Without it nothing is written. */
  readonly keys?: readonly PairedKey[];
  readonly result: Result;
}

/**
 * The keys of paired points of sale, in the state directory. The files are checked for each call, so that a revoked key
 * is invalid at once; they are read again only if they have changed, because reading them for every call would make
 * calls without a key expensive.
 *
 * Two processes write: the terminal its keys, and `poid unpair` the revoked pairings, a line for each, in a file of its
 * own. So neither can undo the other's changes, and no lock is needed that a power cut could leave behind.
 */
export class PairedKeys {
  readonly #file: string;
  readonly #revokedFile: string;
  readonly #listeners: (() => void)[] = [];
  #known: { readonly version: string; readonly keys: readonly PairedKey[] } | undefined;
  /** The change that is being made. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(stateDir: string) {
    this.#file = inState(stateDir, 'pairings.json');
    this.#revokedFile = inState(stateDir, 'pairings.revoked');
  }

  async all(): Promise<readonly PairedKey[]> {
    const version = await this.#version();
    if (this.#known?.version === version) return this.#known.keys;
    const keys = await this.#read();
    // The keys may be newer than the version, never older: then the files are read once more.
    this.#known = { version, keys };
    return keys;
  }

  /** A value that changes when one of the files does. */
  async #version(): Promise<string> {
    return (await Promise.all([this.#file, this.#revokedFile].map(versionOf))).join(' ');
  }

  async #read(): Promise<readonly PairedKey[]> {
    // The revoked pairings are read last, so that they are never older than the keys.
    const text = await readSecret(this.#file);
    const revoked = new Set((await readSecret(this.#revokedFile))?.split('\n'));
    if (text === undefined) return [];
    try {
      const keys = z.array(pairedKey).parse(JSON.parse(text));
      return keys.filter((each) => !revoked.has(pairingOf(each)));
    } catch {
      throw new Error(`${this.#file} holds no valid keys: delete it and pair again`);
    }
  }

  /** Called when this process has changed the keys. */
  onWritten(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** One change after the other, so that each begins with what the one before has written. */
  #change<Result>(make: (keys: readonly PairedKey[]) => Change<Result>): Promise<Result> {
    const changed = this.#turn.then(async () => {
      const { keys, result } = make(await this.all());
      if (keys) {
        await writeSecret(this.#file, JSON.stringify(keys));
        this.#notify();
      }
      return result;
    });
    this.#turn = changed.catch(() => undefined);
    return changed;
  }

  /** Stores a key. A POS has one key, so a new one replaces the old one. Returns 'full' if there are too many. */
  put(added: PairedKey): Promise<'full' | undefined> {
    return this.#change<'full' | undefined>((keys) => {
      const others = keys.filter(({ posId }) => posId !== added.posId);
      if (others.length >= most) return { result: 'full' };
      return { keys: [...others, { pairing: randomUUID({ disableEntropyCache: true }), ...added }], result: undefined };
    });
  }

  /**
   * Stores a next key, beside the present one of this name. Returns whether it was stored: not if the present one was
   * removed, or if newer ones wait.
   */
  prepare(keyId: string, added: FollowingKey): Promise<boolean> {
    return this.#change((keys) => {
      const present = keys.find((each) => each.keyId === keyId);
      const following = [added, ...(present?.following ?? [])]
        .toSorted((one, other) => other.createdS - one.createdS)
        .slice(0, followingMost);
      if (!present || !following.includes(added)) return { result: false };
      return { keys: keys.map((each) => (each === present ? { ...present, following } : each)), result: true };
    });
  }

  /**
   * A next key becomes the present one; the former and its other next keys become invalid. Returns whether it is the
   * present one now.
   */
  adopt(keyId: string): Promise<boolean> {
    return this.#change((keys) => {
      if (keys.some((each) => each.keyId === keyId)) return { result: true };
      for (const former of keys) {
        const { following = [], ...rest } = former;
        const next = following.find((each) => each.keyId === keyId);
        if (!next) continue;
        const present = { ...rest, keyId, key: next.key, pairing: pairingOf(former) };
        return { keys: keys.map((each) => (each === former ? present : each)), result: true };
      }
      return { result: false };
    });
  }

  /**
   * Revokes a key and its next keys; returns whether there was one. If another process changes the keys meanwhile, it
   * also removes this one.
   */
  async remove(posId: string): Promise<boolean> {
    const found = (await this.all()).find((each) => each.posId === posId);
    if (!found) return false;
    // A line that a power cut has torn ends with the next.
    await appendSecret(this.#revokedFile, `\n${pairingOf(found)}\n`);
    this.#notify();
    return true;
  }
}

function pairingOf({ pairing, keyId }: PairedKey): string {
  return pairing ?? keyId;
}

async function versionOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none';
    throw error;
  }
}
