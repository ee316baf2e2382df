import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { closeFile, closeState, isReachable } from './private-file.ts';
import { ownerOf } from './state-owner.ts';

/** A log for files that others could read. */
interface WarningLog {
  warn(event: string, fields: { readonly reason: string }): void;
}

/**
 * Why root may not run the terminal: the state directory, or one above it, belongs to another user, who can write
 * there.
 */
export function rootRefusal({ stateDir }: { readonly stateDir: string }): string | undefined {
  if (process.geteuid?.() !== 0 || ownerOf(stateDir) === undefined) return undefined;
  return `the state directory ${stateDir} belongs to another user: root does not run the terminal on it (systemctl start poid)`;
}

/**
 * Creates the state directory if needed, and restricts it to its owner. Rejects with an Error that gives the reason.
 */
export async function privateState(stateDir: string, log: WarningLog): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  await closeState(stateDir, warnOpen(log));
}

/**
 * Restricts files that contain a key of an acquirer or of a POS, the configuration among them: other users may not read them. Their
 * group may, as they are installed (0640, group poid). Rejects with an Error that names the file.
 */
export async function privateKeys(
  files: readonly string[],
  { acquirers, nexo }: { readonly acquirers: readonly object[]; readonly nexo?: PosKeys | undefined },
  log: WarningLog,
): Promise<void> {
  const lines = (acquirers as readonly Secured[]).map(({ security }) =>
    typeof security === 'object' ? security.tls : {},
  );
  const keyFiles = [
    ...lines.flatMap(({ clientKeyFile }) => clientKeyFile ?? []),
    ...(nexo?.certificate ? [nexo.certificate] : []),
  ];
  const holdsKey =
    acquirers.some((each) => 'clientKey' in each) ||
    lines.some((each) => 'clientKey' in each) ||
    (nexo?.keys ?? []).length > 0;
  for (const file of [...(holdsKey ? files : []), ...keyFiles]) {
    // A missing key file does not prevent the start.
    if (await isReachable(path.dirname(file)).catch(() => false)) await closeFile(file, 0o007, warnOpen(log));
  }
}

interface Secured {
  readonly security?: 'none' | { readonly tls: { readonly clientKey?: string; readonly clientKeyFile?: string } };
}

interface PosKeys {
  readonly keys: readonly object[];
  readonly certificate?: string | undefined;
}

/** Restricting a file does not make its content secret again: the log names who could read it. */
function warnOpen(log: WarningLog) {
  return (file: string, mode: string) =>
    log.warn('open to others', {
      reason: `${file} had mode ${mode} and was restricted: other users may have read it`,
    });
}
