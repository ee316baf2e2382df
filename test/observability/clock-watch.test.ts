import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { ClockWatch } from '../../src/observability/clock-watch.ts';
import { isClockSynchronised } from '../../src/observability/time-sync.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';

const dayMs = 86_400_000;

async function watched(t: TestContext, answer: boolean | undefined, builtAt?: Date) {
  const clock = new ManualClock();
  const said = { answer, asked: 0 };
  const reported: string[] = [];
  const watch = new ClockWatch({
    clock,
    builtAt,
    isSynchronised: async () => {
      said.asked += 1;
      return said.answer;
    },
  });
  watch.onState((state) => reported.push(state));
  t.after(() => watch.close());
  await settled();
  return { clock, watch, said, reported };
}

describe('the clock', () => {
  test('that no time server has set is in doubt until one has, and is not asked for after that', async (t) => {
    const { clock, watch, said, reported } = await watched(t, false);
    assert.deepEqual([watch.state, watch.doubt, reported], ['unsynchronised', 'unsynchronised', ['unsynchronised']]);
    said.answer = true;
    await clock.advance(60_000);
    assert.deepEqual([watch.state, watch.doubt, reported], ['ok', undefined, ['unsynchronised', 'ok']]);
    await clock.advance(10 * 60_000);
    assert.deepEqual([said.asked, reported.length], [2, 2]);
  });

  test('of which nothing tells is in no doubt', async (t) => {
    const { watch, reported } = await watched(t, undefined);
    assert.deepEqual([watch.state, watch.doubt, reported], ['unknown', undefined, []]);
  });

  test('that is before this build is wrong at once, whoever has set it, and is told within a minute', async (t) => {
    const { clock, watch, reported } = await watched(t, true, new Date(Date.UTC(2025, 11, 31)));
    assert.equal(watch.state, 'ok');
    clock.jump(-2 * dayMs);
    assert.deepEqual([watch.state, watch.doubt], ['beforeBuild', 'beforeBuild']);
    await clock.advance(60_000);
    clock.jump(2 * dayMs);
    await clock.advance(60_000);
    assert.deepEqual(reported, ['ok', 'beforeBuild', 'ok']);
  });

  test('is looked at no more once it is closed', async (t) => {
    const { clock, watch } = await watched(t, false);
    await watch.close();
    assert.equal(clock.pending, 0);
  });
});

describe('whether it is synchronised', () => {
  async function program(t: TestContext, script: string): Promise<string> {
    const dir = await mkdtemp(path.join(tmpdir(), 'poid-clock-'));
    t.after(() => rm(dir, { recursive: true }));
    const file = path.join(dir, 'timedatectl');
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
    return file;
  }

  for (const [script, known] of [
    ['[ "$*" = "show -p NTPSynchronized --value" ] && echo yes', true],
    ['echo no', false],
    ['echo something', undefined],
    ['echo yes; exit 1', undefined],
  ] as const) {
    test(`${script}: ${known}`, async (t) => {
      assert.equal(await isClockSynchronised('/nonexistent/synchronized', await program(t, script)), known);
    });
  }

  test('the file of the service that sets it is enough', async (t) => {
    const file = await program(t, 'echo no');
    assert.equal(await isClockSynchronised(file, file), true);
  });

  test('where nothing tells, nobody knows', async () => {
    assert.equal(await isClockSynchronised('/nonexistent/synchronized', '/nonexistent/timedatectl'), undefined);
  });
});
