import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { bundle, controllerId, Stage } from './stage.ts';

const begun = ['proceeding', 'download', 'downloaded'];
const installed = [...begun, 'proceeding', 'proceeding'];

describe('an update', () => {
  test('is downloaded, installed and told; after the restart the version that is kept is a success', async (t) => {
    const stage = await Stage.open(t);
    const action = stage.hawkbit.deploy(controllerId, { content: bundle });
    await stage.step();
    assert.deepEqual(action.said, installed);
    assert.equal(await stage.read('restarts'), 'reboot\n');
    assert.equal(await stage.installations(), 1);
    assert.deepEqual(stage.hawkbit.attributesOf(controllerId), { serialNumber: controllerId });
    await stage.started({ version: '2.0.0', slot: 'B', healthy: 'activating' });
    stage.restartAgent();
    await stage.step();
    assert.deepEqual(action.said, installed, 'nobody has judged it yet');
    await stage.write('healthy', 'active\n');
    await stage.step();
    assert.deepEqual(action.said, [...installed, 'closed success']);
    assert.equal(action.status, 'FINISHED');
    assert.ok(!existsSync(path.join(stage.dir, 'home/bundle.raucb')), 'the bundle is removed');
    await stage.step();
    assert.equal(await stage.installations(), 1);
    const attributes = stage.hawkbit.asked.filter((each) => each.startsWith('PUT '));
    assert.equal(attributes.length, 2, 'hawkBit asks again once an action is finished, and is told what runs');
  });

  test('that did not work is told as a roll-back', async (t) => {
    const stage = await Stage.open(t);
    const action = stage.hawkbit.deploy(controllerId, { content: bundle });
    await stage.step();
    await stage.started({ version: '2.0.0', slot: 'B', healthy: 'failed' });
    stage.restartAgent();
    await stage.step();
    assert.deepEqual(action.said, installed);
    await stage.started({ version: '1.0.0', slot: 'A', healthy: 'active' });
    stage.restartAgent();
    await stage.step();
    assert.equal(action.status, 'ERROR');
    assert.deepEqual(action.feedback.at(-1)?.details, ['2.0.0 did not work: the machine went back to 1.0.0']);
  });

  test('waits for the window and until nobody pays, also to start anew; hawkBit is asked again right before', async (t) => {
    const stage = await Stage.open(t);
    const action = stage.hawkbit.deploy(controllerId, { content: bundle });
    stage.isOpen = false;
    await stage.step();
    assert.deepEqual(action.said, [...begun, 'scheduled']);
    stage.isOpen = true;
    stage.busy = 'collecting';
    await stage.step();
    assert.equal(await stage.installations(), 0);
    stage.busy = undefined;
    const polls = () => stage.hawkbit.asked.filter((each) => each.endsWith(`/v1/${controllerId}`)).length;
    const before = polls();
    // A customer comes while the slot is written.
    stage.busy = undefined;
    let looks = 0;
    Object.defineProperty(stage, 'busy', { get: () => (++looks > 2 ? 'authorizing' : undefined), configurable: true });
    await stage.step();
    assert.equal(polls(), before + 1);
    assert.equal(await stage.installations(), 1);
    assert.equal(await stage.read('restarts'), '');
    Object.defineProperty(stage, 'busy', { value: undefined, writable: true });
    await stage.step();
    assert.equal(await stage.read('restarts'), 'reboot\n');
  });

  test('a forced one waits for the window unless the terminal is told otherwise, and always for the customer', async (t) => {
    const stage = await Stage.open(t);
    stage.hawkbit.deploy(controllerId, { content: bundle, type: 'forced' });
    stage.isOpen = false;
    await stage.step();
    assert.equal(await stage.installations(), 0);
    stage.forcedAtOnce = true;
    stage.busy = 'collecting';
    stage.restartAgent();
    await stage.step();
    assert.equal(await stage.installations(), 0);
    stage.busy = undefined;
    await stage.step();
    assert.equal(await stage.installations(), 1);
  });

  test('outside hawkBit’s own maintenance window it is downloaded only', async (t) => {
    const stage = await Stage.open(t);
    const action = stage.hawkbit.deploy(controllerId, { content: bundle, maintenanceWindow: 'unavailable' });
    await stage.step();
    await stage.step();
    assert.deepEqual(action.said, [...begun, 'scheduled']);
    action.maintenanceWindow = 'available';
    for (let steps = 0; steps < 20 && (await stage.installations()) === 0; steps++) await stage.step();
    assert.equal(await stage.installations(), 1);
  });

  test('an installation that the power ended is begun again, and given up after the third', async (t) => {
    const stage = await Stage.open(t);
    const action = stage.hawkbit.deploy(controllerId, { content: bundle });
    stage.busy = 'collecting';
    await stage.step();
    const file = path.join(stage.dir, 'home/action.json');
    const interrupt = async (installations: number) => {
      const state = JSON.parse(readFileSync(file, 'utf8')) as { action: object };
      const from = { version: '1.0.0', slot: 'A', bootId: 'of an earlier start' };
      await stage.write(
        'home/action.json',
        JSON.stringify({ ...state, action: { ...state.action, phase: 'installing', from, installations } }),
      );
      stage.restartAgent();
    };
    await interrupt(1);
    await stage.step();
    assert.equal(action.said.at(-2), 'resumed');
    assert.equal(await stage.installations(), 0, 'somebody pays');
    await interrupt(3);
    await stage.step();
    assert.equal(action.status, 'ERROR');
  });
});

describe('refused, and told as a failure', () => {
  for (const [what, prepare, reason] of [
    ['a foreign signer', (stage: Stage) => stage.write('refuses', ''), /^refused: nobody who may sign has signed it/],
    [
      'another machine',
      (stage: Stage) => stage.write('compatible', 'poid-arm64'),
      /^refused: it is for poid-arm64, and this is poid-amd64/,
    ],
    [
      'an older version',
      (stage: Stage) => stage.write('version', '0.9.0'),
      /^refused: version 0.9.0 is older than 1.0.0/,
    ],
    ['a slot that can’t be written', (stage: Stage) => stage.write('breaks', ''), /^not installed: .*failed to write/],
  ] as const) {
    test(what, async (t) => {
      const stage = await Stage.open(t);
      await prepare(stage);
      const action = stage.hawkbit.deploy(controllerId, { content: bundle });
      await stage.step();
      assert.equal(action.status, 'ERROR');
      assert.match(action.feedback.at(-1)?.details[0] ?? '', reason);
      assert.equal(await stage.read('restarts'), '');
      assert.ok(!existsSync(path.join(stage.dir, 'home/bundle.raucb')));
    });
  }

  test('a version that has become older while it waited, because another was installed by hand', async (t) => {
    const stage = await Stage.open(t);
    stage.busy = 'a payment runs';
    const action = stage.hawkbit.deploy(controllerId, { content: bundle });
    await stage.step();
    assert.equal(action.feedback.at(-1)?.execution, 'scheduled');
    await stage.started({ version: '3.0.0', slot: 'B', healthy: 'active' });
    stage.busy = undefined;
    stage.restartAgent();
    await stage.step();
    assert.equal(action.status, 'ERROR');
    assert.match(action.feedback.at(-1)?.details[0] ?? '', /^refused: version 2\.0\.0 is older than 3\.0\.0/);
    assert.equal(await stage.installations(), 0);
    assert.ok(!existsSync(path.join(stage.dir, 'home/bundle.raucb')));
  });

  test('no bundle, one without a hash that counts, one that is too large', async (t) => {
    const stage = await Stage.open(t);
    const other = stage.hawkbit.deploy(controllerId, { content: bundle, filename: 'poid.deb' });
    await stage.step();
    assert.match(other.feedback.at(-1)?.details[0] ?? '', /0 files \.raucb/);
    stage.hawkbit.faults.sha256 = 'none';
    const unhashed = stage.hawkbit.deploy(controllerId, { content: bundle });
    await stage.step();
    assert.match(unhashed.feedback.at(-1)?.details[0] ?? '', /no SHA-256/);
    stage.hawkbit.faults.sha256 = undefined;
    stage.bundleBytesMax = bundle.length - 1;
    stage.restartAgent();
    const large = stage.hawkbit.deploy(controllerId, { content: bundle });
    await stage.step();
    assert.match(large.feedback.at(-1)?.details[0] ?? '', /the terminal takes/);
    assert.ok(!stage.hawkbit.asked.some((each) => each.includes('softwaremodules')));
  });
});

describe('a cancellation', () => {
  test('is taken until the installation has begun: nothing stays', async (t) => {
    const stage = await Stage.open(t);
    const action = stage.hawkbit.deploy(controllerId, { content: bundle });
    stage.isOpen = false;
    await stage.step();
    stage.hawkbit.cancel(action);
    // The window opens: hawkBit is asked first.
    stage.isOpen = true;
    await stage.step();
    assert.equal(action.said.at(-1), 'cancel closed success');
    assert.equal(action.status, 'CANCELED');
    assert.equal(await stage.installations(), 0);
    assert.ok(!existsSync(path.join(stage.dir, 'home/bundle.raucb')));
  });

  test('is refused afterwards, and the update goes on', async (t) => {
    const stage = await Stage.open(t);
    const action = stage.hawkbit.deploy(controllerId, { content: bundle });
    await stage.step();
    stage.hawkbit.cancel(action);
    for (let steps = 0; steps < 20 && !action.said.includes('cancel rejected'); steps++) await stage.step();
    assert.equal(action.said.at(-1), 'cancel rejected');
    await stage.started({ version: '2.0.0', slot: 'B', healthy: 'active' });
    stage.restartAgent();
    await stage.step();
    assert.equal(action.status, 'FINISHED');
  });

  test('of what never began here is taken', async (t) => {
    const stage = await Stage.open(t);
    const action = stage.hawkbit.deploy(controllerId, { content: bundle });
    stage.hawkbit.cancel(action);
    await stage.step();
    assert.equal(action.status, 'CANCELED');
  });
});

describe('hawkBit', () => {
  test('says how often it is asked; a tenth of it is left to chance', async (t) => {
    const stage = await Stage.open(t);
    stage.hawkbit.sleep = '00:10:00';
    assert.equal(await stage.step(), 600_000);
    stage.hawkbit.sleep = '12:00:00';
    assert.equal(await stage.step(), 43_200_000);
    stage.hawkbit.sleep = 'soon';
    assert.equal(await stage.step(), 300_000);
  });

  test('refuses the token, fails, is gone: it is asked ever more rarely, and again', async (t) => {
    const stage = await Stage.open(t);
    stage.authorization = 'TargetToken another';
    stage.restartAgent();
    assert.equal(await stage.step(), 30_000);
    assert.equal(await stage.step(), 60_000);
    assert.match(stage.warned.at(-1) ?? '', /401/);
    stage.hawkbit.faults.status = 500;
    assert.equal(await stage.step(), 120_000);
    for (let steps = 0; steps < 10; steps++) await stage.step();
    assert.equal(await stage.step(), 3_600_000);
    stage.authorization = 'TargetToken bH7XXAprK1ChnLfKSdtlsp7NOlPnZAYY';
    stage.hawkbit.faults.status = undefined;
    stage.restartAgent();
    assert.equal(await stage.step(), 300_000);
  });

  test('did not hear the end: it is told again, also by a process that has started since', async (t) => {
    const stage = await Stage.open(t);
    await stage.write('refuses', '');
    const action = stage.hawkbit.deploy(controllerId, { content: bundle });
    // proceeding, download and the end.
    stage.hawkbit.faults.failFeedbacks = 3;
    await stage.step();
    assert.deepEqual(action.said, []);
    stage.restartAgent();
    await stage.step();
    assert.deepEqual(action.said, ['closed failure']);
    assert.equal(stage.hawkbit.asked.filter((each) => each.includes('softwaremodules')).length, 1);
  });
});

describe('a download', () => {
  test('that breaks off goes on where it ended, over a restart', async (t) => {
    const stage = await Stage.open(t);
    stage.hawkbit.faults.truncateAfter = [400_000, 200_000];
    const action = stage.hawkbit.deploy(controllerId, { content: bundle });
    stage.busy = 'collecting';
    await stage.step();
    stage.restartAgent();
    await stage.step();
    await stage.step();
    const ranges = stage.hawkbit.asked
      .filter((each) => each.includes('softwaremodules'))
      .map((each) => each.split(' ')[2]);
    assert.equal(ranges[0], undefined);
    assert.ok(
      ranges.length === 3 && ranges.slice(1).every((each) => /^bytes=[1-9]\d*-$/.test(each ?? '')),
      String(ranges),
    );
    assert.ok(action.said.includes('downloaded'));
    const kept = readFileSync(path.join(stage.dir, 'home/bundle.raucb'));
    assert.equal(createHash('sha256').update(kept).digest('hex'), createHash('sha256').update(bundle).digest('hex'));
  });

  test('from a server that sends all of it again', async (t) => {
    const stage = await Stage.open(t);
    stage.hawkbit.faults.truncateAfter = [400_000];
    stage.hawkbit.faults.ignoresRanges = true;
    const action = stage.hawkbit.deploy(controllerId, { content: bundle });
    await stage.step();
    await stage.step();
    assert.equal(await stage.installations(), 1);
    assert.deepEqual(action.said, installed);
  });

  test('with other bytes is made once more, and then given up', async (t) => {
    const stage = await Stage.open(t);
    stage.hawkbit.faults.corruptDownloads = 1;
    const mended = stage.hawkbit.deploy(controllerId, { content: bundle });
    await stage.step();
    assert.equal(await stage.installations(), 0);
    await stage.step();
    assert.deepEqual(mended.said, installed);
    const other = await Stage.open(t);
    other.hawkbit.faults.corruptDownloads = 2;
    const action = other.hawkbit.deploy(controllerId, { content: bundle });
    await other.step();
    await other.step();
    assert.equal(action.status, 'ERROR');
    assert.match(action.feedback.at(-1)?.details[0] ?? '', /SHA-256/);
    assert.equal(await other.installations(), 0);
  });
});
