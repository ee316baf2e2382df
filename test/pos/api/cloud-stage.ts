import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { openPosCalls } from '../../../src/pos/api/open-pos-calls.ts';
import { CallRooms } from '../../../src/pos/api/call-rooms.ts';
import type { ApiParts } from '../../../src/pos/api/call.ts';
import { CloudCalls } from '../../../src/pos/api/cloud-calls.ts';
import { PairedKeys } from '../../../src/pos/pairing/paired-keys.ts';
import { Pairing } from '../../../src/pos/pairing/pairing.ts';
import { RequestAuthenticator } from '../../../src/pos/pairing/request-authenticator.ts';
import type { CloudAnswer } from '../../../src/payment/contracts/cloud-link.ts';
import { signedHeaders, type ToSign } from '../pairing/signing.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { noCounter } from '../../support/no-counter.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
import { terminalCapabilitiesOf } from '../../payment/transaction/terminal-capabilities.ts';
import {
  bare,
  collectTimes,
  type Json,
  noLists,
  noReports,
  noReprints,
  profiles,
  sale,
  ScriptedTerminal,
  shop,
} from './served.ts';
import { WaitingCalls } from '../../../src/pos/api/waiting-calls.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';

const authority = 't-1.poid';
export const paired = { posId: 'POS-1', keyId: 'k1', key: '42'.repeat(32), pairedAt: '2026-01-01T00:00:00.000Z' };

export type Fields = Partial<Omit<ToSign, 'key'>> & {
  /** Hex. */
  readonly key?: string;
  readonly lifeS?: number;
  readonly fields?: Record<string, string>;
  readonly answerTopic?: string;
  /** Beside those of the signature. */
  readonly moreFields?: Record<string, string>;
};

let nonces = 0;

/** Calls through the cloud, as the broker brings them, at a terminal with one paired till. */
export async function cloud(
  t: TestContext,
  { reports = noReports, bodyBytesMax = 1_000 }: Partial<Pick<ApiParts, 'reports'>> & { bodyBytesMax?: number } = {},
) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-cloud-calls-'));
  t.after(() => rm(dir, { recursive: true }));
  const [keys, clock, terminal] = [new PairedKeys(dir), new ManualClock(), new ScriptedTerminal()];
  const failures: unknown[] = [];
  /** A start of the terminal. */
  const started = async (own: PairedKeys) => {
    const authenticator = await RequestAuthenticator.open(own, clock);
    const random = { bytes: (length: number) => randomBytes(length) };
    const pairing = new Pairing({ keys: own, clock, random, onChange: () => undefined });
    const parts = {
      terminal,
      pairing,
      waiting: new WaitingCalls(),
      pictures: new ReadingTurns(),
      lists: noLists,
      reports,
      capabilities: terminalCapabilitiesOf(profiles, bare),
      collectTimes,
      shop,
      answerFor: () => ({ shape: 'A', printedBy: 'terminal' }) as const,
      reprints: noReprints,
      counter: noCounter,
      status: async () => ({ responseResult: 'SUCCESS' }),
    };
    const onFailure = (error: unknown) => failures.push(error);
    const calls = openPosCalls({ parts, isPairingRequired: false, rooms: new CallRooms(), onFailure });
    return { pairing, calls: new CloudCalls({ calls, authenticator, authority, bodyBytesMax, onFailure }) };
  };
  const { pairing, calls } = await started(keys);
  await keys.put(paired);
  const nowS = () => clock.now().getTime() / 1_000;
  const ask = async (given: Fields = {}): Promise<CloudAnswer & { readonly json: Json }> => {
    const {
      method = 'POST',
      target = '/sp/v1/payment',
      body = JSON.stringify(sale),
      lifeS = 60,
      keyId = paired.keyId,
    } = given;
    const createdS = given.createdS ?? nowS();
    const more = `;expires=${createdS + lifeS};nonce="nonce-${String(++nonces).padStart(16, '0')}";keyid="${keyId}";tag="poid"`;
    const signed = {
      more,
      authority,
      ...given,
      keyId,
      key: Buffer.from(given.key ?? paired.key, 'hex'),
      method,
      target,
      body,
      createdS,
    };
    const fields = { ...(given.fields ?? signedHeaders(signed)), ...given.moreFields };
    const { answerTopic = 'answer/1' } = given;
    const answer = await calls.answer({ answerTopic, method, target, fields, body: Buffer.from(body) });
    const json: Json = answer.body === '' ? undefined : JSON.parse(answer.body);
    noteReasons(json);
    return { ...answer, json };
  };
  const restarted = async () => (await started(new PairedKeys(dir))).calls;
  return { ask, calls, restarted, clock, dir, terminal, keys, nowS, failures, pairing };
}
