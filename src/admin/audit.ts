import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { appendLine, ensureOwnDirectory, replaceFile } from './durable-file.ts';
import type { Places } from '../config/places.ts';

/** An action on the terminal. Never contains a key. */
export interface AuditedAction {
  readonly action: 'provision' | 'factory-reset' | 'acquirer-moved' | 'trace' | 'certify';
  readonly serialNumber: string;
  /** SHA-256 of the configuration's bytes. */
  readonly configuration?: string;
  /** The names of the keys, and how they are kept. */
  readonly keys?: readonly string[];
  readonly keptAs?: 'sealed' | 'plain';
  /** Path of the previous configuration. */
  readonly replaced?: string;
  readonly removed?: readonly string[];
  /** Of an acquirer whose host has moved: its addresses. */
  readonly acquirer?: string;
  readonly from?: string;
  readonly to?: string;
  /** Of a trace: its maximum duration, and when it has ended, the reason. */
  readonly seconds?: number;
  readonly ended?: string;
  /** The script of a certification. */
  readonly script?: string;
  /** The unsettled money at that moment. */
  readonly unsettled?: readonly string[];
}

/**
 * Appends to the terminal's audit record, which survives a factory reset, and which the service can neither read nor
 * change. Rejects with the system's error.
 */
export async function recordAction(
  places: Pick<Places, 'adminDir' | 'audit'>,
  action: AuditedAction,
  now: Date,
): Promise<void> {
  await ensureOwnDirectory(places.adminDir);
  const entry = { at: now.toISOString(), ...whoActs(), ...action };
  await appendLine(places.audit, JSON.stringify(entry), {
    uid: process.geteuid?.() ?? 0,
    gid: process.getegid?.() ?? 0,
    mode: 0o600,
  });
}

/** The fields of a line that remain after a factory reset: none of the shop's configuration, keys or money. */
const kept: readonly string[] = ['at', 'user', 'uid', 'action', 'serialNumber', 'configuration'];

/** Removes the shop's data from the record, and each line that is not valid. Rejects with the system's error. */
export async function forgetShop({ audit }: Pick<Places, 'audit'>): Promise<void> {
  if (!existsSync(audit)) return;
  const handle = await open(audit, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  let text: string;
  try {
    text = await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
  const lines = text.split('\n').flatMap((line) => {
    const entry = parse(line);
    return entry === undefined ? [] : [`${JSON.stringify(entry, [...kept])}\n`];
  });
  const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, mode: 0o600 };
  await replaceFile(audit, lines.join(''), own);
}

function parse(line: string): object | undefined {
  try {
    const entry = JSON.parse(line) as unknown;
    return typeof entry === 'object' && entry !== null ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** sudo(8) names the user; otherwise it is root. */
export function whoActs(): { readonly user: string; readonly uid: number } {
  const { SUDO_USER: user, SUDO_UID: uid } = process.env;
  if (user !== undefined && /^\d+$/.test(uid ?? '')) return { user, uid: Number(uid) };
  const own = userInfo();
  return { user: own.username, uid: own.uid };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
