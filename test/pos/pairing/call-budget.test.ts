import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Fields, paired, staged } from './signed-calls.ts';

const callsMax = 2_000;
const other = { ...paired, posId: 'POS-2', keyId: 'k2', key: '43'.repeat(32) };
const next = { keyId: 'k1-next', key: '44'.repeat(32) };

/** A terminal with two paired POS. `admitted`: how the next call of these fields ends; each has a nonce of its own. */
async function budgeted(t: TestContext) {
  const stage = await staged(t);
  await stage.keys.put(other);
  let nonces = 0;
  const admitted = async (fields: Fields = {}, isCloud = false) => {
    const nonce = `nonce-${String(++nonces).padStart(12, '0')}`;
    const { keyId = paired.keyId } = fields;
    const life = isCloud ? `;expires=${stage.nowS() + 60}` : '';
    const more = `${life};nonce="${nonce}";keyid="${keyId}";tag="poid"`;
    const cloud = isCloud ? { authority: 't-1.poid', headers: { host: 't-1.poid' } } : {};
    const call = stage.call({ ...fields, ...cloud, more });
    const rules = isCloud ? { lifeSMax: 60 } : {};
    const answer = await stage.authenticator.authenticate({ ...call, scheme: isCloud ? 'https' : 'http' }, rules);
    return 'refused' in answer ? answer.refused : 'spent' in answer ? 'spent' : 'admitted';
  };
  const makes = async (count: number, fields: Fields = {}, isCloud = false) => {
    for (let made = 0; made < count; made++) assert.equal(await admitted(fields, isCloud), 'admitted');
  };
  return { ...stage, admitted, makes };
}

const ofOther = { keyId: other.keyId, key: other.key, body: '{"posId":"POS-2"}' };

test('calls of one POS count together, over the local network and the cloud; another POS has its own budget on both', async (t) => {
  const { admitted, makes, clock } = await budgeted(t);
  await makes(callsMax / 2);
  await makes(callsMax / 2, {}, true);
  assert.deepEqual([await admitted(), await admitted({}, true)], ['spent', 'spent']);
  assert.deepEqual([await admitted(ofOther), await admitted(ofOther, true)], ['admitted', 'admitted']);
  await clock.advance(66_000);
  assert.equal(await admitted(), 'admitted');
});

test('a POS with a second key during a rotation has one budget, before and after the second is used', async (t) => {
  const { admitted, keys, makes, nowS } = await budgeted(t);
  await makes(callsMax - 1);
  await keys.prepare(paired.keyId, { ...next, createdS: nowS() });
  await makes(1, next);
  assert.deepEqual([await admitted(next), await admitted(ofOther)], ['spent', 'admitted']);
  assert.equal(await admitted(), 'keyid is not known: pair again');
});

test('a new key does not replace the present one while the POS has no calls left', async (t) => {
  const { admitted, clock, keys, makes, nowS } = await budgeted(t);
  await makes(callsMax);
  await keys.prepare(paired.keyId, { ...next, createdS: nowS() });
  assert.deepEqual([await admitted(next), await admitted()], ['spent', 'spent']);
  await clock.advance(66_000);
  assert.deepEqual([await admitted(), await admitted(next)], ['admitted', 'admitted']);
});

test('pairing anew gives no second budget; neither does revoking', async (t) => {
  const { admitted, keys, makes } = await budgeted(t);
  await makes(callsMax);
  await keys.put({ ...paired, ...next });
  assert.equal(await admitted(next), 'spent');
  await keys.remove(paired.posId);
  assert.equal(await admitted(next), 'keyid is not known: pair again');
  await keys.put({ ...paired, keyId: 'k1-third', key: next.key });
  assert.deepEqual([await admitted({ ...next, keyId: 'k1-third' }), await admitted(ofOther)], ['spent', 'admitted']);
});
