import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commitSeconds } from '../../../build/commit-time.ts';
import { nameSnapshot } from '../../../build/snapshot-program.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** What build/bundle.ts reads. */
const sources = ['src', 'drivers', 'build', 'package.json', 'tsconfig.json'];

interface NextDaemon {
  /** How many more than the sources have. */
  readonly migrations: number;
  /** Its status says that the disk of the journal does not answer. */
  readonly isSilent?: boolean;
}

/** Puts the daemon of a later version into the files of a slot: the sources with further migrations, built as they are. */
export async function replaceDaemon(tree: string, dir: string, { migrations, isSilent = false }: NextDaemon) {
  const copy = mkdtempSync(path.join(dir, 'sources-'));
  for (const each of sources) cpSync(path.join(root, each), path.join(copy, each), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  const added = Array.from({ length: migrations }, (_, n) => `  \`ALTER TABLE txn ADD COLUMN later_${n} TEXT;\`,\n`);
  edit(path.join(copy, 'src/journal/schema.ts'), '\n];\n', `\n${added.join('')}];\n`);
  if (isSilent) {
    const reported = '...(reported ?? untold(parts)),';
    edit(path.join(copy, 'src/observability/status.ts'), reported, `${reported} journal: 'silent' as const,`);
  }
  const dist = path.join(tree, 'usr/lib/poid/dist');
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(commitSeconds() ?? 0) };
  const build = [path.join(copy, 'build/bundle.ts'), dist, '--machine', 'x64', '--without-maps'];
  execFileSync(process.execPath, build, { stdio: 'pipe', env });
  await nameSnapshot(dist, path.join(tree, 'usr/lib/poid/bin/node'));
  // As its package does when it is installed.
  const inside = ['--mount', '--pid', '--fork', `--root=${tree}`, '--mount-proc'];
  execFileSync('unshare', [...inside, 'poid', 'snapshot'], { stdio: 'pipe' });
  rmSync(copy, { recursive: true });
}

/** The text stands there once. */
function edit(file: string, before: string, after: string): void {
  const parts = readFileSync(file, 'utf8').split(before);
  assert.equal(parts.length, 2, `${file} has ${before} once`);
  writeFileSync(file, parts.join(after));
}
