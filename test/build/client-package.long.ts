import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Ran {
  readonly code: number;
  readonly out: string;
}

function run(program: string, parameters: readonly string[], cwd: string): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, parameters, { cwd }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out: out + err }),
    );
  });
}

/** A till of somebody who has the package and no source of the terminal. */
const till = `
import { Client, mqttFetch, pair, type Answer, type MqttClient, type Outcome, type Reason, type Retry, type TillEvent, type TillKey } from 'poid/client';

const key: TillKey = { keyId: '00', key: '00'.repeat(32) };
const client = new Client({ url: 'https://192.168.1.5:8080', key, holdMs: 1_000 });
const identity = { posId: 'POS-1', messageId: 'M-1' };
const paid: Outcome = await client.pay({ ...identity, transactionType: 'SALE', requestAmount: 30, currency: 'HKD' });
if (paid.is === 'unknown') console.log(paid.trouble?.length);
else console.log(paid.answer.terminalTransactionId?.length);
const answer: Answer = await client.enquiry(identity);
const next: Retry | undefined = answer.retryable;
const why: Reason | undefined = answer.reason === 'insufficientFunds' ? answer.reason : undefined;
console.log(next, why, answer.text?.['zh-Hant'].length);
for await (const event of client.events({ posId: 'POS-1' })) {
  const received: TillEvent = event;
  console.log(received.data['state']?.length);
}
const paired: string = (await pair({ url: 'http://a', posId: 'POS-1', typedCode: async () => '1' })).key;
console.log(paired.length);
declare const broker: MqttClient;
const cloud = new Client({ url: 'https://t-1.poid', key, fetch: mqttFetch(broker, { terminal: 'T-1' }) });
console.log((await cloud.enquiry(identity)).responseResult);
`;

/** Each line is a mistake that the compiler has to find. */
const mistakes = `
import { Client, type Reason } from 'poid/client';
const client = new Client({ url: 'http://a', hold: 1 });
const reason: Reason = 'noMoney';
const paid = await client.pay({ posId: 'POS-1' });
if (paid.is === 'paid') console.log(reason);
if (paid.is === 'unknown') console.log(paid.answer.reason);
`;

const strict = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
  types: [],
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
};

describe('poid/client as npm packs it', () => {
  let dir: string;
  let packed: string;
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'poid-packed-'));
    const tree = path.join(dir, 'tree');
    await mkdir(tree);
    await cp(path.join(root, 'package.json'), path.join(tree, 'package.json'));
    const built = await run(process.execPath, [path.join(root, 'build/client.ts'), path.join(tree, 'dist')], root);
    assert.deepEqual(built, { code: 0, out: '' });
    const { code, out } = await run('npm', ['pack', '--ignore-scripts', '--offline', '--silent'], tree);
    assert.equal(code, 0, out);
    const modules = path.join(dir, 'node_modules');
    packed = path.join(modules, 'poid');
    await mkdir(packed, { recursive: true });
    const unpacked = await run('tar', ['xzf', path.join(tree, out.trim()), '--strip-components=1', '-C', packed], dir);
    assert.equal(unpacked.code, 0, unpacked.out);
    await writeFile(path.join(dir, 'package.json'), '{ "type": "module" }');
  });
  after(() => rm(dir, { recursive: true, force: true }));

  async function compile(name: string, text: string, how: object): Promise<Ran> {
    await writeFile(path.join(dir, `${name}.ts`), text);
    const compilerOptions = { ...strict, ...how };
    await writeFile(path.join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
    return run(path.join(root, 'node_modules/.bin/tsc'), ['-p', '.', '--pretty', 'false'], dir);
  }

  test('holds what its exports point to, and no source', async () => {
    const { exports: exported } = JSON.parse(await readFile(path.join(packed, 'package.json'), 'utf8'));
    for (const file of Object.values<string>(exported['./client'])) {
      const text = await readFile(path.join(packed, file), 'utf8');
      assert.doesNotMatch(text, /\.ts['"]|from ['"]|\bimport\b/, `${file} stands alone`);
    }
    const { out } = await run('find', ['.', '-type', 'f'], packed);
    assert.deepEqual(out.trim().split('\n').toSorted(), ['./dist/client.d.ts', './dist/client.js', './package.json']);
  });

  for (const how of [
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ]) {
    test(`compiles under strict settings, ${how.moduleResolution}`, async () => {
      assert.deepEqual(await compile('till', till, how), { code: 0, out: '' });
    });
  }

  test('tells a till’s mistakes, each in its line', async () => {
    const { out } = await compile('mistakes', mistakes, { module: 'nodenext', moduleResolution: 'nodenext' });
    const lines = [...out.matchAll(/^mistakes\.ts\((\d+),/gm)].map(([, line]) => Number(line));
    assert.deepEqual([...new Set(lines)], [3, 4, 5, 6, 7], out);
  });

  test('runs: the module has the class and the functions that its types name', async () => {
    const { code, out } = await run(
      process.execPath,
      ['--input-type=module', '-e', "console.log(Object.keys(await import('poid/client')).sort().join())"],
      dir,
    );
    assert.deepEqual({ code, out }, { code: 0, out: 'Client,mqttFetch,pair\n' });
  });
});
