import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { poid } from '../cli/poid.ts';
import { FleetKey } from './fleet-key.ts';

test('poid fleet sign signs no document that drops the key it signs with', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-fleet-sign-'));
  t.after(() => rm(dir, { recursive: true }));
  const [own, other] = [new FleetKey(), new FleetKey()];
  const [file, key] = [path.join(dir, 'document.json'), path.join(dir, 'fleet.key')];
  await writeFile(key, own.pem);
  const signs = async (...keys: readonly FleetKey[]) => {
    const publicKeys = keys.map(({ publicKey }) => publicKey);
    const document = {
      kind: 'configuration',
      version: 1,
      for: { group: 'hk' },
      configuration: { fleet: { publicKeys } },
    };
    await writeFile(file, JSON.stringify(document));
    return poid(t, 'fleet', 'sign', file, '--key', key);
  };
  const { code, out, err } = await signs(other);
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /fleet\.publicKeys drops the key that signs it/);
  assert.equal((await signs(other, own)).code, 0);
});
