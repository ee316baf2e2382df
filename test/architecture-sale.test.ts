import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { eventually, Stage } from './e2e/stage.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** As V8 names the scripts of this checkout: a space of its path is `%20`. */
const rootUrl = pathToFileURL(root).href;
const filesMax = 150;
/** The main thread, the journal's and the card reader's. */
const threads = 3;

let stage: Stage;
let dir: string;
before(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-coverage-'));
  const preload = `--import=${rootUrl}test/support/note-coverage.ts`;
  // The sources, because a bundle is one file.
  const program = path.join(root, 'src/main/cli.ts');
  stage = await Stage.open({ program, environment: { NODE_V8_COVERAGE: dir, NODE_OPTIONS: preload } });
});
after(async () => {
  await stage.close();
  rmSync(dir, { recursive: true });
});

/** A report of V8 (inspector protocol, Profiler.ScriptCoverage). */
interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

/** The reports of what has run since the last call, one of each thread. */
async function takeReports(): Promise<readonly (readonly Script[])[]> {
  const known = new Set(readdirSync(dir));
  process.kill(stage.daemonPid, 'SIGWINCH');
  const fresh = async () => readdirSync(dir).filter((each) => !known.has(each));
  const files = await eventually(fresh, (all) => all.length >= threads && all.every(isWhole));
  return files.map((each) => read(each).result);
}

function read(file: string): { readonly result: readonly Script[] } {
  return JSON.parse(readFileSync(path.join(dir, file), 'utf8'));
}

/** Not half written. */
function isWhole(file: string): boolean {
  try {
    read(file);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Every function that has run, by file, name and place. */
async function functionsRun(): Promise<ReadonlySet<string>> {
  const ours = [`${rootUrl}src/`, `${rootUrl}drivers/`];
  const scripts = (await takeReports()).flat().filter(({ url }) => ours.some((each) => url.startsWith(each)));
  return new Set(
    scripts.flatMap(({ url, functions }) =>
      functions.flatMap(({ functionName: name, ranges: [range] }) =>
        name !== '' && range && range.count > 0 ? [`${url.slice(rootUrl.length)} ${name} ${range.startOffset}`] : [],
      ),
    ),
  );
}

/** What runs without a sale: the devices are asked, lists are refreshed, the journal is checked. */
async function functionsOfIdle(): Promise<ReadonlySet<string>> {
  const all = new Set<string>();
  for (let unchanged = 0; unchanged < 5; ) {
    const before = all.size;
    for (const each of await functionsRun()) all.add(each);
    unchanged = all.size === before ? unchanged + 1 : 0;
  }
  return all;
}

test(`an approved contactless sale runs code of at most ${filesMax} files`, async (t) => {
  // The first sale loads and compiles what the second one only runs.
  await stage.paid('visa', { preferredEntryMode: 'CARD' });
  await takeReports();
  const idle = await functionsOfIdle();
  // What is done beside one sale, such as a device that is opened again, is not done beside all of them.
  const sales: (readonly string[])[] = [];
  for (let sale = 0; sale < 3; sale++) {
    await stage.paid('visa', { preferredEntryMode: 'CARD' });
    sales.push([...(await functionsRun())].filter((each) => !idle.has(each)));
    await functionsOfIdle();
  }
  const filesOf = (functions: readonly string[]) => new Set(functions.map((each) => each.split(' ')[0]));
  const [functions = []] = sales.toSorted((one, other) => filesOf(one).size - filesOf(other).size);
  const files = filesOf(functions);
  t.diagnostic(`${functions.length} functions of ${files.size} files`);
  assert.ok(files.size > 50, 'too few: the reports are not those of a sale');
  assert.ok(files.size <= filesMax, `${files.size} files`);
});
