import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readSecret } from '../../../src/base/secrets/secret-file.ts';

// One of another user (EACCES) is read in test/packaging: root, who may run this, may read every file.
test('a secret that can’t be read is named, and one that is not there is none', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-secret-'));
  t.after(() => rm(dir, { recursive: true }));
  const file = path.join(dir, 'tls.pem');
  assert.equal(await readSecret(file), undefined);
  await mkdir(file);
  await assert.rejects(readSecret(file), { message: `${file} can't be read (EISDIR)` });
});
