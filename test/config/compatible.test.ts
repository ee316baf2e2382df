import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadConfiguration } from '../../src/config/load.ts';
import { configurationJsonSchema } from '../../src/config/reference.ts';
import { findInputBreaks } from '../pos/api/compatible.ts';
import type { Json } from '../pos/api/served.ts';

/** The schemas of releases without their descriptions, each with the whole sample of `poid config sample`. */
const folder = fileURLToPath(new URL('released', import.meta.url));
const present: Json = JSON.parse(JSON.stringify(configurationJsonSchema()));

for (const name of readdirSync(folder)) {
  const { schema, sample }: Json = JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
  describe(`a configuration of ${path.basename(name, '.json')}`, () => {
    test('has the same settings, and needs no more', () => {
      assert.deepEqual(findInputBreaks(schema, present), []);
    });

    test('is read', async (t) => {
      const dir = mkdtempSync(path.join(tmpdir(), 'poid-config-'));
      t.after(() => rmSync(dir, { recursive: true }));
      const file = path.join(dir, 'poid.json');
      writeFileSync(file, JSON.stringify(sample));
      const { acquirers } = await loadConfiguration([file], {}, { keys: 'unread' });
      assert.deepEqual(
        acquirers.map(({ id }) => id),
        sample.acquirers.map(({ id }: Json) => id),
      );
    });
  });
}

test('a setting that is gone, renamed, required or narrower is noticed', () => {
  for (const [change, said] of [
    [(now) => delete now.properties.timeouts.properties.collectMs, '/timeouts/collectMs is gone'],
    [(now) => now.required.push('printer'), '/printer is required'],
    [(now) => (now.properties.timeouts.properties.collectMs.maximum = 1), '/timeouts/collectMs has another maximum'],
    [(now) => now.properties.receipt.properties.printedBy.enum.pop(), '/receipt/printedBy is never pos'],
    [(now) => (now.properties.wallets.additionalProperties = false), '/wallets/* is gone'],
  ] as readonly (readonly [(now: Json) => unknown, string])[]) {
    const now = structuredClone(present);
    change(now);
    assert.deepEqual(findInputBreaks(present, now), [said]);
  }
});
