import { generateKeyPairSync } from 'node:crypto';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseWallets } from '../../hw-sim/host/qfpay/wallet-file.ts';
import { openApi } from '../../src/pos/api/openapi.ts';
import { configurationSchema } from '../../src/config/configuration.ts';
import { faults } from '../pos/api/json-schema.ts';
import { type Json, Stage } from '../e2e/stage.ts';
import { type Block, blocksOf } from './markdown.ts';
import { root } from './tools.ts';

const files = ['README.md', ...globSync('docs/*.md', { cwd: root })].toSorted();
const blocks = files.flatMap((file) => blocksOf(file, readFileSync(path.join(root, file), 'utf8')));
const shell = new Set(['sh', 'bash']);
const isRun = ({ language, mark }: Block) => shell.has(language) && !mark.startsWith('not run: ');

/** How many blocks of each file no test runs, each for the reason that stands before it. */
const notRun: Readonly<Record<string, number>> = {
  'README.md': 2,
  'docs/acquirer.md': 1,
  'docs/cloud.md': 11,
  'docs/pairing.md': 3,
  'docs/pos.md': 2,
  'docs/runtime.md': 1,
  'docs/shell.md': 3,
  'docs/simulator.md': 2,
};

/** Blocks without a language: what root types on a terminal, and what it prints. test:package does the same. */
const withoutLanguage = { 'docs/fleet.md': 2, 'docs/manufacturing.md': 10, 'docs/operations.md': 8 } as const;

test('every block of a document is run or judged, or says why not', () => {
  for (const { place, language, mark } of blocks) {
    if (shell.has(language))
      assert.match(mark, /^(?:prints: |not run: ).{4}/, `${place} says neither what it prints nor why not`);
    else if (language === 'json')
      assert.match(mark, /^(?:schema|example|configuration|simulator|certification): \w/, `${place} names no schema`);
    else if (language === 'http') assert.match(mark, /^not run: .{4}/, place);
  }
  const count = (wanted: (block: Block) => boolean) => {
    const counted: Record<string, number> = {};
    for (const block of blocks.filter(wanted)) {
      const [file = ''] = block.place.split(':');
      counted[file] = (counted[file] ?? 0) + 1;
    }
    return counted;
  };
  assert.deepEqual(
    count(({ language, mark }) => shell.has(language) && mark.startsWith('not run')),
    notRun,
  );
  assert.deepEqual(
    count(({ language, mark }) => language === '' && mark === ''),
    withoutLanguage,
  );
});

const certification: Json = JSON.parse(
  readFileSync(path.join(root, 'fixtures/certification/simulated-host.json'), 'utf8'),
);
const document: Json = JSON.parse(JSON.stringify(openApi));
const examples: Json = JSON.parse(readFileSync(path.join(root, 'src/pos/api/openapi-examples.json'), 'utf8'));

describe('JSON of the documents', () => {
  for (const { place, text, mark } of blocks.filter(({ language }) => language === 'json')) {
    test(`${place}, ${mark}`, () => {
      const [kind, name = ''] = mark.split(': ');
      const body: Json = JSON.parse(text, (name, value) => (isCredential(value) ? secretOf(name) : value));
      if (kind === 'schema') {
        const schema = document.components.schemas[name] ?? assert.fail(`there is no schema ${name}`);
        assert.deepEqual(faults(body, schema, document), []);
      } else if (kind === 'simulator') {
        assert.ok(parseWallets(text, place).length > 0);
      } else if (kind === 'certification') {
        assert.deepEqual(
          body,
          certification.cases.find(({ id }: Json) => id === name),
        );
      } else if (kind === 'configuration') {
        // A document shows a part; what the rest would need is not its subject.
        const { error } = configurationSchema.safeParse(body);
        assert.deepEqual(
          (error?.issues ?? []).filter(({ path: [part] }) => Object.hasOwn(body, String(part))),
          [],
        );
      } else {
        assert.deepEqual(body, (examples[name] ?? assert.fail(`there is no example ${name}`)).answer);
      }
    });
  }
});

/** The service gets the key from systemd; the schema has its text. */
const secretOf = (name: string) => {
  if (name === 'passphrase') return 'a test passphrase';
  return name === 'keyEncryptingKey' || name === 'initialKey' ? '0123456789ABCDEFFEDCBA9876543210' : privateKey;
};
const isCredential = (value: Json) => typeof value?.credential === 'string';
const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
});

describe('commands of the documents', () => {
  let stage: Stage;
  let dir: string;
  before(async () => {
    stage = await Stage.open();
    dir = await mkdtemp(path.join(tmpdir(), 'poid-docs-'));
    await symlink(path.join(root, 'fixtures'), path.join(dir, 'fixtures'));
  });
  after(async () => {
    await stage.close();
    await rm(dir, { recursive: true, force: true });
  });

  /** The addresses of the documents, on this terminal. */
  const here = (text: string) =>
    text
      .replaceAll('http://127.0.0.1:8080', stage.apiUrl)
      .replaceAll('http://127.0.0.1:8081', stage.screenUrl)
      .replaceAll('http://127.0.0.1:8090', stage.simUrl);

  for (const file of files) {
    const own = blocks.filter((block) => block.place.startsWith(`${file}:`) && isRun(block));
    if (own.length === 0) continue;
    test(`${file}: ${own.length} blocks in one shell, one after the other`, async () => {
      await stage.sim('POST', '/api/reset', {});
      const script = own.map(
        ({ text, place }, at) =>
          `printf '%s\\n' '${place}' >&2\n{\n${here(text)}\n} > '${path.join(dir, `${at}.out`)}'\n`,
      );
      const child = spawn('bash', ['-euc', script.join('\n')], {
        cwd: dir,
        env: { ...process.env, PATH: `${path.join(root, 'bin')}:${process.env['PATH']}` },
        stdio: ['ignore', 'inherit', 'pipe'],
        timeout: 60_000,
      });
      let reported = '';
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => (reported += chunk));
      const [code] = await once(child, 'close');
      assert.equal(code, 0, reported);
      for (const [at, { place, mark }] of own.entries()) {
        const printed = await readFile(path.join(dir, `${at}.out`), 'utf8');
        assert.match(
          printed.replaceAll('\n', ' '),
          new RegExp(mark.replace('prints: ', '')),
          `${place} printed ${printed}`,
        );
      }
      assert.deepEqual(await stage.unexpected(), []);
    });
  }
});
