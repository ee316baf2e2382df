import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { demandTools } from '../packaging/machine/tools.ts';
import { accounts, FreshRoot } from './fresh-root.ts';

/** Programs, and the Debian packages that have them. */
const tools = { mmdebstrap: 'mmdebstrap', unshare: 'util-linux', ip: 'iproute2', git: 'git' } as const;

const { values, positionals: asked } = parseArgs({
  options: {
    /** Root runs the commands instead of an ordinary account. */
    root: { type: 'boolean', default: false },
    /** Only the first command. */
    'without-tests': { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

/** What `npm test` writes for whoever runs it, by the variable that names the file. */
const written = ['POID_REPORTED_ANSWERS', 'POID_REPORTED_REASONS', 'POID_FAILED_FILES', 'POID_SKIPPED_FILES'] as const;
const resultsDir = '/var/tmp/poid-results';

/**
 * `npm run test:fresh -- [--root] [--without-tests] [FILE…]`: README's two commands on a machine that has nothing but what
 * README names: a minimal Debian, this machine's Node and npm, and a clone of what is committed. Files: only those of `npm test`.
 */
demandTools('test:fresh', 'it makes a Debian root and enters it', tools);
const work = mkdtempSync(path.join(tmpdir(), 'poid-fresh-'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.once('exit', () => rmSync(work, { recursive: true, force: true }));
process.exitCode = await runCommands(
  FreshRoot.make(path.join(work, 'root'), values.root ? accounts.root : accounts.ordinary),
);

/** The exit code of the first command that fails. Only npm ci needs the network. */
async function runCommands(root: FreshRoot): Promise<number> {
  const node = './node_modules/.bin/node';
  let code = await timed('npm ci', () => root.run(['npm', 'ci'], true));
  if (code === 0 && asked.length === 0)
    code = await timed('npm start', () => root.run([node, 'test/fresh/first-sale.ts'], false));
  if (code !== 0 || values['without-tests']) return code;
  mkdirSync(root.file(resultsDir));
  // Whatever the umask is.
  chmodSync(root.file(resultsDir), 0o777);
  const names = written.filter((name) => process.env[name] !== undefined);
  const env = Object.fromEntries(names.map((name) => [name, `${resultsDir}/${name}`]));
  // What a run before this one has written is added to.
  for (const [here, there] of results(root, names)) {
    if (existsSync(here)) copyFileSync(here, there);
    else writeFileSync(there, '');
    chmodSync(there, 0o666);
  }
  code = await timed('npm test', () => root.run(['npm', 'test', '--', ...asked], false, env));
  for (const [here, there] of results(root, names)) copyFileSync(there, here);
  return code;
}

/** Each file of results, as its caller names it and as it is in the root. */
function results(root: FreshRoot, names: readonly string[]): [here: string, there: string][] {
  return names.map((name) => [process.env[name] ?? '', root.file(`${resultsDir}/${name}`)]);
}

async function timed(what: string, run: () => Promise<number>): Promise<number> {
  const began = performance.now();
  const code = await run();
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(`fresh: ${what} took ${seconds} s${code === 0 ? '' : `, and ended with ${code}`}`);
  return code;
}
