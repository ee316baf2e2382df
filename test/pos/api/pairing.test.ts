import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiParts } from '../../../src/pos/api/call.ts';
import { pairing, reveal } from '../../../src/pos/api/pairing.ts';
import type { NotPaired } from '../../../src/pos/pairing/pairing.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
import type { Json } from './served.ts';

const hex = '00'.repeat(32);
const sender = { address: '192.168.1.7' };
const asked = { query: new URLSearchParams(), accept: '' };

/** Pairing that always ends like this. */
function ending(why: NotPaired): ApiParts {
  return { pairing: { begin: () => why, reveal: async () => why } } as unknown as ApiParts;
}

test('each way in which pairing does not come about has its reason', async () => {
  const reported: string[] = [];
  for (const why of ['closed', 'busy', 'again', 'unknown', 'changed', 'refused', 'full'] as const) {
    const begun = await pairing({ posId: 'POS-1', commitment: hex }, ending(why), sender, asked);
    const revealed = await reveal({ pairingId: 'P', posPublicKey: hex, posNonce: hex }, ending(why), sender, asked);
    assert.deepEqual([begun.status, revealed.status], [409, 409]);
    assert.deepEqual(begun.body, revealed.body);
    const { reason, retryable, text } = begun.body as Json;
    assert.ok(text.en && text['zh-Hant'] && retryable);
    noteReasons(begun.body);
    reported.push(reason);
  }
  assert.equal(new Set(reported).size, reported.length);
});
