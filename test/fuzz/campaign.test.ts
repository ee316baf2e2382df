import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { campaign } from './campaign.ts';
import { Progress } from './progress.ts';
import { assertSilent, canary, type Target } from './target.ts';

const inputs = fc.uint8Array({ maxLength: 40 });
const target = (check: Target['check']): Target => ({ name: 'planted', share: 1, inputs, check });

test('what breaks is found, made small, and found again by its seed', async () => {
  const breaks = target((input) => assert.ok(!input.includes(0xa5), 'it stumbled'));
  const { finding } = await campaign(breaks, 20_000, 1, new Progress());
  assert.equal(finding?.hex, 'a5');
  assert.match(finding.what, /it stumbled/);
  const again = await campaign(breaks, 2_000, finding.seed ?? assert.fail('no seed'), new Progress());
  assert.deepEqual(again.finding?.hex, 'a5');
});

test('what keeps its inputs is found', async () => {
  const kept: Uint8Array[] = [];
  const { finding } = await campaign(
    target(() => void kept.push(Buffer.alloc(4_096))),
    10_000,
    1,
    new Progress(),
  );
  assert.match(finding?.what ?? '', /the heap grew/);
});

test('what is in hand is known to whoever watches', async () => {
  const progress = new Progress();
  const here = new Progress(progress.shared);
  const seen: string[] = [];
  const look = target((input) => {
    assert.deepEqual(Buffer.from(here.input), Buffer.from(input));
    seen.push('');
  });
  const { finding } = await campaign(look, 100, 1, progress);
  assert.equal(finding, undefined);
  assert.equal(here.count, seen.length);
});

test('a card number is heard in the clear and in hexadecimal', () => {
  assertSilent('tag 57 in the clear');
  assert.throws(() => assertSilent(`unexpected "${canary}"`));
  assert.throws(() => assertSilent(Buffer.from(canary, 'hex').toString('hex')));
});
