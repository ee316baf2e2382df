import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually, Stage } from './e2e/stage.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const filesMax = 300;

let stage: Stage;
let dir: string;
before(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-coverage-'));
  const options = `--import=${path.join(root, 'test/support/note-coverage.ts')}`;
  stage = await Stage.open({ program: path.join(root, 'src/main/cli.ts'), environment: { NODE_V8_COVERAGE: dir, NODE_OPTIONS: options } });
});
after(async () => {
  await stage.close();
  rmSync(dir, { recursive: true });
});

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly functionName: string; readonly ranges: readonly { readonly count: number }[] }[];
}

/** The threads of a daemon: main, journal, reader. */
async function noted(before: number) {
  process.kill(stage.daemonPid, 'SIGUSR2');
  await eventually(async () => readdirSync(dir), (all) => all.length >= before + 3);
  return readdirSync(dir);
}

test(`an approved contactless sale runs code of at most ${filesMax} files`, async () => {
  await stage.paid('visa', { preferredEntryMode: 'CARD' });
  const old = new Set(await noted(0));
  await stage.paid('visa', { preferredEntryMode: 'CARD' });
  const names = (await noted(old.size)).filter((each) => !old.has(each));
  const ran = new Map<string, number>();
  for (const name of names) {
    const { result } = JSON.parse(readFileSync(path.join(dir, name), 'utf8')) as { readonly result: readonly Script[] };
    for (const { url, functions } of result) {
      if (!url.startsWith(`file://${root}src/`) && !url.startsWith(`file://${root}drivers/`)) continue;
      const count = functions.filter((each) => each.functionName !== '' && (each.ranges[0]?.count ?? 0) > 0).length;
      if (count > 0) ran.set(url, (ran.get(url) ?? 0) + count);
    }
  }
  const functions = [...ran.values()].reduce((sum, each) => sum + each, 0);
  console.log(`an approved sale runs ${functions} functions of ${ran.size} files`, names.length);
  const by = new Map<string, number>();
  for (const url of ran.keys()) { const f = url.slice(`file://${root}`.length).split('/').slice(0, 3).join('/'); by.set(f, (by.get(f) ?? 0) + 1); }
  console.log([...by].sort((a, b) => b[1] - a[1]).map(([f, n]) => `${n} ${f}`).join('\n'));
  console.log([...ran].map(([u, n]) => `${n} ${u.slice(`file://${root}`.length)}`).sort().join('\n'));
  assert.ok(ran.size <= filesMax);
});
