import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';
import { appendLine } from './durable-file.ts';
import type { Places } from './places.ts';

/** What was done to the terminal. Never a key. */
export interface AuditedAction {
  readonly action: 'provision' | 'factory-reset';
  readonly serialNumber: string;
  /** SHA-256 of the configuration's bytes. */
  readonly configuration?: string;
  /** The names of the keys, and how they are kept. */
  readonly keys?: readonly string[];
  readonly keptAs?: 'sealed' | 'plain';
  /** Where the configuration before it went. */
  readonly replaced?: string;
  readonly removed?: readonly string[];
  /** What of the shop's money was not settled at that moment. */
  readonly unsettled?: readonly string[];
}

/** Appends to the terminal's record of who did what, which outlives a factory reset. Rejects with the system's error. */
export async function recordAction(places: Pick<Places, 'audit'>, action: AuditedAction, now: Date): Promise<void> {
  const entry = { at: now.toISOString(), ...whoActs(), ...action };
  await appendLine(places.audit, JSON.stringify(entry), { uid: process.getuid?.() ?? 0, gid: 0, mode: 0o600 });
}

/** sudo(8) names the person; root by itself is nobody. */
function whoActs(): { readonly user: string; readonly uid: number } {
  const { SUDO_USER: user, SUDO_UID: uid } = process.env;
  if (user !== undefined && /^\d+$/.test(uid ?? '')) return { user, uid: Number(uid) };
  const own = userInfo();
  return { user: own.username, uid: own.uid };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
