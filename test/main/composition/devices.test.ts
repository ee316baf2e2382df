import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, test } from 'node:test';
import { findDevices } from '../../../src/main/composition/devices.ts';
import type { Device, DeviceState } from '../../../src/base/ports/device.ts';
import { ManualClock } from '../../support/manual-clock.ts';

type Found = Parameters<typeof findDevices>[0];

class ScriptedDevice implements Device {
  readonly name = 'a scripted device';
  state: DeviceState = 'connecting';
  readonly listeners = new Set<(state: DeviceState) => void>();

  onState(listener: (state: DeviceState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  become(state: DeviceState): void {
    this.state = state;
    for (const listener of this.listeners) listener(state);
  }

  async close(): Promise<void> {
    this.become('absent');
  }
}

describe('a start waits until it is known which devices are there', () => {
  let clock: ManualClock;
  let reader: ScriptedDevice;
  let octopus: ScriptedDevice;
  let isKnown: boolean;

  beforeEach(() => {
    clock = new ManualClock();
    [reader, octopus] = [new ScriptedDevice(), new ScriptedDevice()];
    isKnown = false;
  });

  async function known(): Promise<boolean> {
    await setImmediate();
    return isKnown;
  }

  function begin(): void {
    void findDevices({ reader, octopus } as unknown as Found, clock).then(() => (isKnown = true));
  }

  test('for each of them, whether it is there or not', async () => {
    begin();
    reader.become('ready');
    assert.equal(await known(), false);
    octopus.become('absent');
    assert.equal(await known(), true);
    assert.deepEqual([reader.listeners.size, octopus.listeners.size, clock.pending], [0, 0, 0]);
  });

  test('not where all were there before', async () => {
    reader.become('ready');
    octopus.become('ready');
    begin();
    assert.equal(await known(), true);
  });

  test('for two seconds, if one says nothing', async () => {
    begin();
    reader.become('ready');
    await clock.advance(1_999);
    assert.equal(await known(), false);
    await clock.advance(1);
    assert.equal(await known(), true);
  });
});
