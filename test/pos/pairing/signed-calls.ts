import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { RequestAuthenticator } from '../../../src/pos/pairing/request-authenticator.ts';
import { PairedKeys } from '../../../src/pos/pairing/paired-keys.ts';
import type { SignedCall } from '../../../src/pos/pairing/signed-call.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { signedHeaders, type ToSign } from './signing.ts';

export const paired = { posId: 'POS-1', keyId: 'k1', key: '42'.repeat(32), pairedAt: '2026-01-01T00:00:00.000Z' };
export const nonce = 'nonce-0000000000';
export const authority = '192.168.1.5:8080';
export const keyBytes = Buffer.from(paired.key, 'hex');

/** A call of the paired POS: `fields` of the call or its signature differ. */
export type Fields = Partial<Omit<ToSign, 'key'>> & { readonly headers?: SignedCall['headers']; readonly key?: string };

export async function staged(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-authenticator-'));
  t.after(() => rm(dir, { recursive: true }));
  const keys = new PairedKeys(dir);
  const clock = new ManualClock();
  const authenticator = await RequestAuthenticator.open(keys, clock);
  await keys.put(paired);
  const nowS = () => clock.now().getTime() / 1000;
  const call = (fields: Fields = {}): SignedCall => {
    const { method = 'POST', target = '/sp/v1/payment', body = '{"posId":"POS-1"}', createdS = nowS() } = fields;
    const key = Buffer.from(fields.key ?? paired.key, 'hex');
    const signed = signedHeaders({
      keyId: paired.keyId,
      nonce,
      authority,
      ...fields,
      key,
      method,
      target,
      body,
      createdS,
    });
    const headers = { host: authority, 'content-type': 'application/json', ...signed, ...fields.headers };
    return { scheme: 'http', method, target, body, headers };
  };
  const refused = async (each: SignedCall, by = authenticator) => {
    const answer = await by.authenticate(each);
    return 'refused' in answer ? answer.refused : undefined;
  };
  return { dir, keys, clock, authenticator, nowS, call, refused };
}
