import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import type { ServiceRights } from './stopped.ts';

/** A file or directory, and the access that its user must have (access(2)). */
export interface Wanted {
  readonly path: string;
  readonly access: 'read' | 'write' | 'enter';
}

const { R_OK, W_OK, X_OK } = constants;
const modes = { read: R_OK, write: R_OK | W_OK, enter: R_OK | W_OK | X_OK } as const;
/** Time limit of the process that answers for the user, who can stop it. */
const answerMs = 10_000;

/** Which of these that user can't do, with the system's code. Undefined if this process may not act for that user. */
export function listRefused(
  { uid, groups }: ServiceRights,
  wanted: readonly Wanted[],
): readonly { readonly path: string; readonly code: string }[] | undefined {
  const accesses = wanted.map(({ path, access }) => ({ path, mode: modes[access] }));
  // No process is started as that user: others of the user could control it, and it may have root's terminal.
  if (process.getuid?.() === uid) return accesses.flatMap(({ path, mode }) => refusalOf(path, mode));
  if (process.getuid?.() !== 0) return undefined;
  // A process of its own, because it gives up its rights permanently. It begins as root, so the user's other processes
  // can't read or write its memory (PR_SET_DUMPABLE(2const)). Its input is data, never code.
  const input = JSON.stringify({ uid, groups: [...groups], accesses });
  const { status, stdout } = spawnSync(process.execPath, ['--disable-sigusr1', '--eval', program], {
    input,
    encoding: 'utf8',
    cwd: '/',
    timeout: answerMs,
    killSignal: 'SIGKILL',
  });
  return status === 0 ? (JSON.parse(stdout) as { path: string; code: string }[]) : undefined;
}

function refusalOf(path: string, mode: number): { readonly path: string; readonly code: string }[] {
  try {
    accessSync(path, mode);
    return [];
  } catch (error) {
    return [{ path, code: (error as NodeJS.ErrnoException).code ?? '' }];
  }
}

/** access(2) considers all parent directories, access control lists and read-only file systems, and opens nothing. */
const program = `
const fs = require('node:fs');
const { uid, groups, accesses } = JSON.parse(fs.readFileSync(0, 'utf8'));
process.setgroups(groups);
process.setgid(groups[0]);
process.setuid(uid);
const refused = accesses.flatMap(({ path, mode }) => {
  try {
    fs.accessSync(path, mode);
    return [];
  } catch ({ code }) {
    return [{ path, code }];
  }
});
process.stdout.write(JSON.stringify(refused));
`;
