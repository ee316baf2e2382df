import assert from 'node:assert/strict';
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { needs } from '../support/needs.ts';
import { cachedMiB, dropFromCache } from './page-cache.ts';

test('what was dropped is read from the disk again', needs('fincore'), () => {
  // /tmp may be a file system without a disk, from which nothing can be dropped.
  const dir = mkdtempSync(fileURLToPath(new URL('../../node_modules/.poid-cache-', import.meta.url)));
  try {
    const descriptor = openSync(path.join(dir, 'file'), 'w');
    writeSync(descriptor, Buffer.alloc(4 * 2 ** 20, 1));
    fsyncSync(descriptor);
    closeSync(descriptor);
    assert.equal(cachedMiB(dir), 4);
    dropFromCache(dir);
    assert.ok((cachedMiB(dir) ?? 4) < 1);
    readFileSync(path.join(dir, 'file'));
    assert.equal(cachedMiB(dir), 4);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
