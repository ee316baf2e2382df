import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ReaderDevice, ReaderDriver } from '../../../../drivers/card-reader/open-reader.ts';
import { threadedReader, type ThreadedReaderOptions } from '../../../../drivers/card-reader/thread/threaded-reader.ts';
import { type Card, loadCards } from '../../../../hw-sim/card/card.ts';
import { openReader, type SimulatedReader } from '../../../../hw-sim/reader/simulated.ts';
import type { CardReader, CollectRequest } from '../../../../src/base/ports/card-reader.ts';
import { systemClock } from '../../../../src/base/ports/clock.ts';
import {
  DeviceError,
  type DeviceAbsence,
  type DeviceErrorCode,
  type DeviceState,
} from '../../../../src/base/ports/device.ts';
import { keys } from '../../../hw-sim/reader/stage.ts';

const cards = await loadCards(fileURLToPath(new URL('../../../../fixtures/cards', import.meta.url)));

export function cardNamed(name: string): Card {
  return cards.get(name) ?? assert.fail(`no card ${name}`);
}

export const request: CollectRequest = {
  amount: { minor: 3000n, currency: 'HKD' },
  type: 'purchase',
  timeoutMs: 60_000,
  interfaces: ['contactless', 'chip', 'magstripe'],
};

export interface Stage {
  readonly device: SimulatedReader;
  readonly reader: CardReader;
  /** The threads that were started, in order. */
  readonly workers: Worker[];
  readonly faults: (readonly [message: string, why: DeviceAbsence])[];
  readonly states: DeviceState[];
}

/** A simulated reader on a line of its own, and the terminal's reader in a thread. */
export async function openStage(
  t: TestContext,
  model: 'neo2' | 'mms',
  options: Partial<ThreadedReaderOptions> = {},
): Promise<Stage> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-thread-'));
  t.after(() => rm(dir, { recursive: true }));
  const opened = await openReader(model, path.join(dir, 'reader'), { ...keys, quickChip: false, carrier: 'stream' });
  t.after(() => opened.close());
  const { wire } = opened;
  const device: ReaderDevice =
    'path' in wire
      ? wire
      : { baudRate: 115_200, hid: { stream: 'stream' in wire.hid ? wire.hid.stream : assert.fail('no stream') } };
  return { device: opened.reader, ...openThread(t, wire.driver, device, options) };
}

/** Without a reader at the other end. */
export function openThread(
  t: TestContext,
  driver: ReaderDriver,
  device: ReaderDevice,
  options: Partial<ThreadedReaderOptions> = {},
): Omit<Stage, 'device'> {
  const [workers, faults, states]: [Worker[], [string, DeviceAbsence][], DeviceState[]] = [[], [], []];
  const { spawn = (file, parameters) => new Worker(file, parameters) } = options;
  const reader = threadedReader(
    { driver, device },
    {
      clock: systemClock,
      restartMs: 10,
      onFault: (error, why) => faults.push([error.message, why]),
      ...options,
      spawn: (file, parameters) => {
        const worker = spawn(file, parameters);
        workers.push(worker);
        return worker;
      },
    },
  );
  reader.onState((state) => states.push(state));
  t.after(() => reader.close());
  return { reader, workers, faults, states };
}

/** Once the simulated reader waits for a card. */
export function armed(device: SimulatedReader): Promise<void> {
  return new Promise((resolve) => {
    const stop = device.onArmed(() => {
      stop();
      resolve();
    });
  });
}

export function rejects(promise: Promise<unknown>, code: DeviceErrorCode): Promise<void> {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof DeviceError, String(error));
    assert.equal(error.code, code);
    return true;
  });
}
