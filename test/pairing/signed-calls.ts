import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { RequestAuthenticator, type SignedCall } from '../../src/pairing/request-authenticator.ts';
import { PairedKeys } from '../../src/pairing/paired-keys.ts';
import { ManualClock } from '../support/manual-clock.ts';

export const paired = { posId: 'POS-1', keyId: 'k1', key: '42'.repeat(32), pairedAt: '2026-01-01T00:00:00.000Z' };
export const nonce = 'nonce-0000000000';

export async function staged(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-authenticator-'));
  t.after(() => rm(dir, { recursive: true }));
  const keys = new PairedKeys(dir);
  const clock = new ManualClock();
  const authenticator = await RequestAuthenticator.open(keys, clock);
  await keys.put(paired);
  const nowS = () => clock.now().getTime() / 1000;
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (text: string, key = paired.key) =>
    createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('hex');
  const call = (fields: Partial<SignedCall> & { time?: number; nonce?: string; key?: string } = {}): SignedCall => {
    const { method = 'POST', target = '/sp/v1/payment', body = '{"posId":"POS-1"}', time = nowS() } = fields;
    const own = fields.nonce ?? nonce;
    const text = ['poid call 1', method, target, String(time), own, sha256(body)].join('\n');
    const headers = {
      'poid-key': 'k1',
      'poid-time': String(time),
      'poid-nonce': own,
      'poid-signature': hmac(text, fields.key),
    };
    return { method, target, body, headers: { ...headers, ...fields.headers } };
  };
  const refused = async (each: SignedCall, by = authenticator) => {
    const answer = await by.authenticate(each);
    return 'refused' in answer ? answer.refused : undefined;
  };
  return { dir, keys, clock, authenticator, nowS, call, refused, hmac, sha256 };
}
