import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type MmsOptions, MmsReader } from '../../../../hw-sim/reader/mms/reader.ts';
import { StreamReports } from '../../../../hw-sim/reader/reports/stream.ts';
import { at, card, keys } from '../stage.ts';
import { hex, MemoryPty } from '../wire.ts';
import { messagesOf, object, reportsOf, request, response } from './wire.ts';

/** The serial number of the published examples. */
export const serial = 'B35E2CD080116AA';

export interface Stage {
  readonly pty: MemoryPty;
  readonly reader: MmsReader;
  /** The host sends one message. */
  readonly ask: (message: string) => void;
  /** Every message that the reader has sent since the last time. */
  readonly heard: () => string[];
}

export function ready(t: TestContext, options: Partial<MmsOptions> = {}): Stage {
  const pty = new MemoryPty();
  const reader = new MmsReader(new StreamReports(pty), {
    ...keys,
    serial,
    now: () => at,
    random: () => hex('52BF4585'),
    ...options,
  });
  t.after(() => reader.close());
  return { pty, reader, ask: (message) => pty.send(reportsOf(message)), heard: () => messagesOf(pty.sent()) };
}

/** 1001 for 30 s and HKD 30.00. `interfaces` names what is armed: 'msr chip tap'. */
export function start(interfaces: string, terms = '9C0100 9F0206000000003000 9F0306000000000000 5F2A020344'): string {
  const mode = (name: string, on: string): string => (interfaces.includes(name) ? on : '00');
  const modes = `8101${mode('msr', '01')} 8201${mode('chip', '01')} 8301${mode('tap', '03')}`;
  return request('1001', `82011e${object('a3', modes)}84020002${object('86', terms)}`);
}

export const everything = 'msr chip tap';
export const cancel = request('1008');
export const started = response('1001', '01 000000');
export const cancelled = response('1008', '00 000000');
export const resumed = response('1004', '00 000000');

/** 84 of 1004 with the data objects of 70. */
export function arpc(objects: string, device = serial): string {
  const reported = object('dfdf25', Buffer.from(device, 'latin1').toString('hex'));
  return object('84', object('ff74', `${reported}${object('fa', object('70', objects))}`));
}

/** 1004 with the data objects of 70. */
export function resume(objects: string): string {
  return request('1004', `810100${arpc(objects)}`);
}

export function armed(t: TestContext, interfaces = everything, options: Partial<MmsOptions> = {}): Stage {
  const stage = ready(t, options);
  stage.ask(start(interfaces));
  assert.deepEqual(stage.heard(), [started]);
  assert.equal(stage.reader.armed, true);
  return stage;
}

/** A Visa card that has asked for authorization, the other way than the one named. */
export async function waiting(t: TestContext, from: 'chip' | 'contactless' = 'chip'): Promise<Stage> {
  const stage = armed(t);
  await (from === 'chip' ? stage.reader.insert(card('visa')) : stage.reader.tap(card('visa')));
  stage.heard();
  assert.equal(stage.reader.state().chipWaits, true);
  return stage;
}

export function whysOf(reader: MmsReader): string[] {
  return reader.unexpected.map(({ why }) => why);
}
