import assert from 'node:assert/strict';
import { neo2Reader, type Neo2Options, type Neo2Reader } from '../../../../drivers/card-reader/neo2/reader.ts';
import type { CollectOutcome, CollectRequest } from '../../../../src/base/ports/card-reader.ts';
import { DeviceError, type DeviceErrorCode, type DeviceState } from '../../../../src/base/ports/device.ts';
import { answer } from './card-answer.ts';
import { named } from './fixture-frames.ts';
import { ManualClock, settled } from '../../../support/manual-clock.ts';
import { ScriptedTransport } from './scripted-transport.ts';

export const request: CollectRequest = {
  amount: { minor: 3000n, currency: 'HKD' },
  type: 'purchase',
  timeoutMs: 60_000,
};
export const cancelled = answer(0x05, 0x00);
export const handshake = ['05-01', '18-01', '29-00', '01-01'];

/** A reader on a line whose other end is the test. */
export interface Stage {
  readonly transport: ScriptedTransport;
  readonly clock: ManualClock;
  readonly reader: Neo2Reader;
  readonly states: DeviceState[];
}

export function stage(state: DeviceState = 'ready', options: Partial<Neo2Options> = {}): Stage {
  const transport = new ScriptedTransport(state);
  transport.answers.set('05-01', cancelled);
  transport.answers.set('18-01', named('ping answer'));
  transport.answers.set('29-00', answer(0x29, 0x00, Buffer.from('VP3350 FW v1.01.052\0')));
  transport.answers.set('01-01', named('set poll mode answer, seen in the wild'));
  const clock = new ManualClock();
  const reader = neo2Reader(transport, { clock, ...options });
  const states: DeviceState[] = [];
  reader.onState((next) => states.push(next));
  return { transport, clock, reader, states };
}

/** Ready, and forgetful of how it became so. */
export async function ready(options?: Partial<Neo2Options>): Promise<Stage> {
  const made = stage('ready', options);
  await settled();
  assert.equal(made.reader.state, 'ready');
  made.transport.sent.length = 0;
  made.states.length = 0;
  return made;
}

/** Ready and armed: `outcome` is what collect() comes to. */
export async function armed(
  interfaces?: CollectRequest['interfaces'],
  options?: Partial<Neo2Options>,
): Promise<Stage & { outcome: Promise<CollectOutcome>; abort: AbortController }> {
  const made = await ready(options);
  const abort = new AbortController();
  const outcome = made.reader.collect({ ...request, ...(interfaces && { interfaces }) }, abort.signal);
  outcome.catch(() => {});
  await settled();
  assert.deepEqual(made.transport.sent, ['02-40']);
  return { ...made, outcome, abort };
}

export async function pending(promise: Promise<unknown>): Promise<boolean> {
  const nothing = Symbol('nothing');
  await settled();
  return (await Promise.race([promise.catch(() => {}), settled().then(() => nothing)])) === nothing;
}

export function rejects(promise: Promise<unknown>, code: DeviceErrorCode): Promise<void> {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof DeviceError);
    assert.equal(error.code, code);
    return true;
  });
}
