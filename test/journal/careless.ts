import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the journal, in `dir`, that does not sync its commits: what a power cut must find. Returns its committer. */
export function carelessCommitter(dir: string): string {
  for (const part of [
    'package.json',
    'src/base/domain',
    'src/base/ports',
    'src/payment/events',
    'src/payment/contracts',
    'src/payment/records',
    'src/methods',
    'src/options',
    'src/journal',
  ]) {
    cpSync(path.join(root, part), path.join(dir, part), { recursive: true });
  }
  for (const name of ['journal/committer.ts', 'journal/committed.ts', 'journal/events.ts', 'support/events.ts']) {
    cpSync(path.join(root, 'test', name), path.join(dir, 'test', name));
  }
  const database = path.join(dir, 'src/journal/database.ts');
  const careful = readFileSync(database, 'utf8');
  const careless = careful.replace('PRAGMA synchronous = FULL', 'PRAGMA synchronous = NORMAL');
  if (careless === careful) throw new Error('the journal names its synchronous mode elsewhere by now');
  writeFileSync(database, careless);
  return path.join(dir, 'test/journal/committer.ts');
}
