import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staged } from './signed-calls.ts';

test('20,000 calls within a minute are the most; a minute later there is place again', async (t) => {
  const { call, refused, clock } = await staged(t);
  for (let at = 0; at < 20_000; at++)
    assert.equal(await refused(call({ nonce: `nonce-${String(at).padStart(10, '0')}` })), undefined);
  const next = () => refused(call({ nonce: 'another-nonce-00' }));
  assert.match((await next()) ?? '', /too many calls/);
  await clock.advance(66_000);
  assert.equal(await next(), undefined);
});
