import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { PairedKeys } from '../../../src/pos/pairing/paired-keys.ts';
import { Pairing } from '../../../src/pos/pairing/pairing.ts';
import { writeSecret } from '../../../src/base/secrets/secret-file.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** The keys as the terminal has them, and as `poid unpair` does in a process of its own. */
async function staged(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-keys-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const keys = new PairedKeys(dir);
  await keys.put({ posId: 'A', keyId: 'a0', key: '11'.repeat(32), pairedAt: '' });
  return { dir, keys, shell: new PairedKeys(dir) };
}

const following = (keyId: string, createdS: number) => ({ keyId, key: '22'.repeat(32), createdS });
const names = async (keys: PairedKeys) => (await keys.all()).map(({ posId, keyId }) => `${posId} ${keyId}`);

test('changes that overlap are all kept', async (t) => {
  const { dir, keys } = await staged(t);
  const added = Array.from({ length: 20 }, (_, each) => ({ posId: `P${each}`, keyId: `p${each}`, pairedAt: '' }));
  await Promise.all([
    ...added.map((each) => keys.put({ ...each, key: '33'.repeat(32) })),
    keys.prepare('a0', following('a1', 1)),
    keys.prepare('a0', following('a2', 2)),
  ]);
  const all = await new PairedKeys(dir).all();
  assert.equal(all.length, 21);
  const [a] = all.filter(({ posId }) => posId === 'A');
  assert.deepEqual(
    a?.following?.map(({ keyId }) => keyId),
    ['a2', 'a1'],
  );
});

test('a change that can’t be written does not hold up the next', async (t) => {
  const { dir, keys } = await staged(t);
  await rm(dir, { recursive: true });
  await assert.rejects(keys.put({ posId: 'B', keyId: 'b0', key: '11'.repeat(32), pairedAt: '' }), { code: 'ENOENT' });
  assert.equal(await keys.adopt('b0'), false);
});

test('what several write at one time is one text whole, and nothing is left behind', async (t) => {
  const { dir } = await staged(t);
  const file = path.join(dir, 'operator.json');
  const texts = Array.from({ length: 20 }, (_, each) => String(each).repeat(10_000 + each));
  await Promise.all(texts.map((text) => writeSecret(file, text)));
  assert.ok(texts.includes(await readFile(file, 'utf8')));
  assert.deepEqual((await readdir(dir)).toSorted(), ['operator.json', 'pairings.json']);
});

test('an older call that a broker held back does not take the place of a newer one’s key', async (t) => {
  const { keys } = await staged(t);
  assert.equal(await keys.prepare('a0', following('newer', 20)), true);
  assert.equal(await keys.prepare('a0', following('older', 10)), true);
  assert.equal(await keys.adopt('newer'), true);
  assert.deepEqual(await names(keys), ['A newer']);
  assert.equal(await keys.adopt('older'), false);
  assert.equal(await keys.prepare('a0', following('late', 30)), false);
});

test('four keys wait at most, the newest', async (t) => {
  const { keys } = await staged(t);
  for (const each of [5, 2, 4, 3]) assert.equal(await keys.prepare('a0', following(`k${each}`, each)), true);
  assert.equal(await keys.prepare('a0', following('k1', 1)), false);
  assert.equal(await keys.prepare('a0', following('k6', 6)), true);
  assert.equal(await keys.adopt('k2'), false);
  assert.equal(await keys.adopt('k3'), true);
});

test('what is revoked stays so, whatever the terminal writes at the same time', async (t) => {
  for (let round = 0; round < 30; round++) {
    const { keys, shell } = await staged(t);
    await keys.prepare('a0', following('a1', 1));
    const [isRemoved] = await Promise.all([
      shell.remove('A'),
      keys.prepare('a0', following('a2', 2)),
      keys.adopt('a1'),
      keys.put({ posId: 'B', keyId: 'b0', key: '11'.repeat(32), pairedAt: '' }),
    ]);
    assert.equal(isRemoved, true);
    assert.deepEqual(await names(keys), ['B b0']);
    assert.deepEqual(await names(shell), ['B b0']);
    assert.equal(await keys.adopt('a2'), false);
    assert.equal(await keys.prepare('a1', following('a3', 3)), false);
  }
});

test('a point of sale that was unpaired may be paired again, and its former key leaves the file', async (t) => {
  const { dir, keys, shell } = await staged(t);
  assert.equal(await shell.remove('A'), true);
  assert.equal(await shell.remove('A'), false);
  await keys.put({ posId: 'A', keyId: 'again', key: '44'.repeat(32), pairedAt: '' });
  assert.deepEqual(await names(shell), ['A again']);
  assert.doesNotMatch(await readFile(path.join(dir, 'pairings.json'), 'utf8'), /1111/);
});

test('a line that a power cut has torn takes nothing along, and the next counts', async (t) => {
  const { dir, shell } = await staged(t);
  await writeFile(path.join(dir, 'pairings.revoked'), '\n4f2a');
  assert.deepEqual(await names(shell), ['A a0']);
  assert.equal(await shell.remove('A'), true);
  assert.deepEqual(await names(shell), []);
});

test('a pairing of before it had a name is revoked with every key that follows', async (t) => {
  const { dir, keys, shell } = await staged(t);
  const old = [{ posId: 'A', keyId: 'a0', key: '11'.repeat(32), pairedAt: '' }];
  await writeFile(path.join(dir, 'pairings.json'), JSON.stringify(old));
  await keys.prepare('a0', following('a1', 1));
  await keys.adopt('a1');
  assert.equal(await shell.remove('A'), true);
  assert.deepEqual(await names(keys), []);
});

test('a half that is no key is told so, and a disk that fails is not taken for one', async (t) => {
  const { dir, keys } = await staged(t);
  const random = { bytes: (length: number) => randomBytes(length) };
  const pairing = new Pairing({ keys, clock: new ManualClock(), random, onChange: () => undefined });
  const by = { posId: 'A', keyId: 'a0', createdS: 1 };
  const posNonce = '55'.repeat(32);
  assert.equal(await pairing.rotate(by, { posPublicKey: '00'.repeat(32), posNonce }), 'noKey');
  await rm(path.join(dir, 'pairings.json'));
  await writeFile(path.join(dir, 'pairings.json'), 'x');
  const posPublicKey = `09${'00'.repeat(31)}`;
  await assert.rejects(pairing.rotate(by, { posPublicKey, posNonce }), /holds no valid keys/);
});
