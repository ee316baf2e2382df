import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { command } from '../support/programs.ts';

const bank = fileURLToPath(new URL('../../fixtures/dialects/second-bank.json', import.meta.url));

function poid(...parameters: string[]): Promise<{ code: number; out: string; err: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; out: string; err: string }>();
  execFile(command, ['config', 'dialect', ...parameters], (error, out, err) =>
    resolve({ code: error === null ? 0 : Number(error.code), out, err }),
  );
  return promise;
}

test('poid config dialect accepts a file, and prints a message of it field by field, but nothing secret', async () => {
  assert.deepEqual(await poid(bank), { code: 0, out: `${bank} can be used\n`, err: '' });
  const { out } = await poid(bank, '--sample', 'sale');
  assert.match(out, /^MTI {2}message type +0200/);
  assert.match(out, /^ {2}4 {2}amount, transaction +000000003000/m);
  assert.match(out, /^ 48 {2}additional data, private +secret, 126 bytes$/m);
  assert.ok(!out.includes('frame'));
  const { sample } = JSON.parse((await poid(bank, '--sample', 'settlement', '--json')).out);
  assert.equal(sample.parts.find(({ field }: { field: number }) => field === 88).value, '0000000000006000');
});

test('a built-in dialect is printed as a file that can be used, and each of its messages', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-dialect-'));
  t.after(() => rm(dir, { recursive: true }));
  const copy = path.join(dir, 'copy.json');
  await writeFile(copy, (await poid('EDC')).out);
  assert.equal((await poid(copy)).code, 0);
  const frames = await Promise.all([copy, 'EDC'].map(async (name) => (await poid(name, '--sample', 'void')).out));
  assert.equal(frames[0], frames[1]);
  assert.match(frames[0] ?? '', /^frame 007C/m);
});

test('a fault has line and column; a message that can not be built is one', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-dialect-'));
  t.after(() => rm(dir, { recursive: true }));
  const file = path.join(dir, 'bank.json');
  const text = await readFile(bank, 'utf8');
  await writeFile(file, text.replace('"constant": "5812"', '"constant": "581"'));
  const { code, out } = await poid(file);
  assert.equal(code, 1);
  assert.match(out, /bank\.json:\d+:\d+: messages\.sale: can't be built: ISO 8583 wrong-length, field 18/);
  await writeFile(file, text.replace('"ascii4"', '"ascii9"'));
  assert.match((await poid(file)).out, /framing\.length: such as ascii3/);
  const unknown = await poid(bank, '--sample', 'auth');
  assert.equal(unknown.code, 2);
  assert.match(unknown.err, /--sample takes a message of this dialect: sale, refund/);
});
