import { readdirSync } from 'node:fs';
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { savedCases } from './saved.ts';
import { targets } from './targets.ts';

const folder = new URL('../../fixtures/fuzz/', import.meta.url);

after(() => Promise.all(targets.map(async (target) => target.close?.())));

describe('what once broke something breaks nothing now', () => {
  for (const name of readdirSync(folder)) {
    const target = targets.find((each) => each.name === name);
    test(name, async () => {
      assert.ok(target, 'no such target');
      const cases = savedCases(name);
      assert.ok(cases.length > 0, 'nothing saved');
      for (const { bytes } of cases) await target.check(bytes);
    });
  }
});
