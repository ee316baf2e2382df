import { constants } from 'node:fs';
import path from 'node:path';
import {
  canonicalKey,
  type DroppedKey,
  droppedFileOf,
  parseDroppedLines,
  parseDroppedKeys,
} from '../../fleet/documents/fleet-keys.ts';
import { openRegular } from '../../base/secrets/regular-file.ts';
import { ensureOwnDirectory, appendLine } from '../durable-file.ts';
import type { Places } from '../../config/places.ts';

/** The service's file has a line of some 120 bytes for each key that was ever dropped. */
const bytesMax = 65_536;
/** Of a time in ISO 8601: a longer one could make root's record too large to be read. */
const timeLength = 24;

/** Root's own record, which the service can neither read nor change. */
export function adminDroppedFileOf({ adminDir }: Pick<Places, 'adminDir'>): string {
  return path.join(adminDir, 'fleet-keys.dropped');
}

/** The keys in root's own record. Rejects with the system's error. */
export async function readAdminDroppedKeys(places: Pick<Places, 'adminDir'>): Promise<readonly DroppedKey[]> {
  return parseDroppedLines(await readLimited(adminDroppedFileOf(places)));
}

/**
 * The keys of the terminal's own file that were dropped here, for a process of root. The service's list is trusted,
 * because it can only remove keys. Each key that root has once found in it is kept in root's own record, so that
 * removing the list restores no key.
 */
export class DroppedKeys {
  readonly #places: Pick<Places, 'stateDir' | 'adminDir'>;
  /** Those that could not be recorded. */
  readonly #seen = new Map<string, DroppedKey>();

  constructor(places: Pick<Places, 'stateDir' | 'adminDir'>) {
    this.#places = places;
  }

  /**
   * The keys of `own` that still count: none if a list is no regular file, or too large. `handedOver`: the list as the
   * running service reports it. Never rejects.
   */
  async inForce(own: readonly string[], handedOver?: unknown): Promise<readonly string[]> {
    try {
      const file = await readLimited(droppedFileOf(this.#places.stateDir)).catch(ignoreNoAccess);
      const reported = [...parseDroppedLines(file), ...parseDroppedKeys(handedOver)];
      const recorded = new Set((await readAdminDroppedKeys(this.#places)).map(({ key }) => key));
      // Other keys are ignored, so that the service can't fill root's record.
      const keys = own.map(canonicalKey);
      for (const { key, version, at } of reported)
        if (keys.includes(key) && !recorded.has(key))
          this.#seen.set(key, { key, version, at: at.slice(0, timeLength) });
      const gone = new Set([...recorded, ...this.#seen.keys()]);
      await this.#record(recorded);
      return own.filter((key) => !gone.has(canonicalKey(key)));
    } catch {
      return [];
    }
  }

  /** Keys that can't be recorded, because the disk is full, are kept in memory. */
  async #record(recorded: ReadonlySet<string>): Promise<void> {
    const { adminDir } = this.#places;
    const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, mode: 0o600 };
    for (const each of this.#seen.values()) {
      if (recorded.has(each.key)) continue;
      const written = ensureOwnDirectory(adminDir).then(() =>
        appendLine(adminDroppedFileOf({ adminDir }), `\n${JSON.stringify(each)}`, own),
      );
      if (
        await written.then(
          () => true,
          () => false,
        )
      )
        this.#seen.delete(each.key);
    }
  }
}

/** The unit of the update agent has no access to the state directory. */
function ignoreNoAccess(error: NodeJS.ErrnoException): string {
  if (error.code === 'EACCES') return '';
  throw error;
}

/** Nothing if there is no file. Rejects with the system's error for a link, a FIFO, or a file that is too large. */
async function readLimited(file: string): Promise<string> {
  const handle = await openRegular(file, constants.O_RDONLY).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return '';
  try {
    const bytes = Buffer.alloc(bytesMax + 1);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    if (bytesRead > bytesMax) throw new RangeError(`${file} is too large`);
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
