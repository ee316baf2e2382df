import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { OperatorPassword, passwordCost } from '../../src/operator/password.ts';
import { cheap } from './cheap.ts';
import { ManualClock } from '../support/manual-clock.ts';

const right = '135792';

async function staged(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-operator-'));
  t.after(() => rm(dir, { recursive: true }));
  const clock = new ManualClock();
  const file = path.join(dir, 'operator.json');
  return {
    dir,
    clock,
    file,
    password: new OperatorPassword(dir, clock, cheap),
    again: () => new OperatorPassword(dir, clock, cheap),
  };
}

describe('the operator’s password', () => {
  test('is none at first, and then the one that was set', async (t) => {
    const { password, file } = await staged(t);
    assert.equal(await password.isSet(), false);
    assert.deepEqual(await password.try(right), { kind: 'none' });
    await password.set(right);
    assert.equal(await password.isSet(), true);
    assert.deepEqual(await password.try(right), { kind: 'right' });
    assert.deepEqual(await password.try('1357920'), { kind: 'wrong', waitMs: 0 });
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.doesNotMatch(await readFile(file, 'utf8'), /135792/);
  });

  test('is salted: the same one twice is two hashes', async (t) => {
    const { password, file } = await staged(t);
    await password.set(right);
    const first = await readFile(file, 'utf8');
    await password.set(right);
    assert.notEqual(await readFile(file, 'utf8'), first);
  });

  for (const bad of ['', '12345', '1'.repeat(33), '12345x', '123456\n', ' 123456']) {
    test(`can't be ${JSON.stringify(bad)}`, async (t) => {
      const { password } = await staged(t);
      await assert.rejects(password.set(bad), /6 to 32 digits/);
      assert.equal(await password.isSet(), false);
    });
  }

  test('a file that is none lets nobody in', async (t) => {
    const { password, file } = await staged(t);
    await writeFile(file, '{"salt":"00","hash":""}');
    await assert.rejects(password.try(right), /not an operator's password/);
  });
});

describe('wrong tries', () => {
  test('make the next one wait, twice as long each time, a quarter of an hour at most', async (t) => {
    const { password, clock } = await staged(t);
    await password.set(right);
    const pauses: number[] = [];
    for (let tries = 0; tries < 12; tries++) {
      const answer = await password.try('000000');
      assert.ok(answer.kind === 'wrong');
      pauses.push(answer.waitMs / 1000);
      await clock.advance(answer.waitMs);
    }
    assert.deepEqual(pauses, [0, 0, 5, 10, 20, 40, 80, 160, 320, 640, 900, 900]);
    assert.deepEqual(await password.try(right), { kind: 'right' });
    assert.deepEqual(await password.try('000000'), { kind: 'wrong', waitMs: 0 });
  });

  test('within the pause the right one does not count either, and nothing is lost by it', async (t) => {
    const { password, clock } = await staged(t);
    await password.set(right);
    for (let tries = 0; tries < 3; tries++) await password.try('000000');
    await clock.advance(4_999);
    assert.deepEqual(await password.try(right), { kind: 'wait', waitMs: 1 });
    await clock.advance(1);
    assert.deepEqual(await password.try(right), { kind: 'right' });
  });

  test('are remembered over a restart, and the delay begins again', async (t) => {
    const { password, again, clock } = await staged(t);
    await password.set(right);
    for (let tries = 0; tries < 3; tries++) await password.try('000000');
    await clock.advance(4_000);
    const restarted = again();
    assert.deepEqual(await restarted.try(right), { kind: 'wait', waitMs: 5_000 });
    await clock.advance(5_000);
    assert.deepEqual(await restarted.try('000000'), { kind: 'wrong', waitMs: 10_000 });
  });

  test('are counted one by one, however many come at once', async (t) => {
    const { password } = await staged(t);
    await password.set(right);
    const answers = await Promise.all(['000000', '000001', '000002', right].map((each) => password.try(each)));
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      ['wrong', 'wrong', 'wrong', 'wait'],
    );
  });

  for (const [what, byMs] of [
    ['forward by a day', 86_400_000],
    ['back by a year', -31_536_000_000],
  ] as const) {
    test(`the machine’s clock, set ${what}, neither shortens nor lengthens the delay, also over a restart`, async (t) => {
      const { password, again, clock } = await staged(t);
      await password.set(right);
      for (let tries = 0; tries < 3; tries++) await password.try('000000');
      clock.jump(byMs);
      assert.deepEqual(await password.try(right), { kind: 'wait', waitMs: 5_000 });
      const restarted = again();
      assert.deepEqual(await restarted.try(right), { kind: 'wait', waitMs: 5_000 });
      await clock.advance(4_999);
      assert.deepEqual(await password.try(right), { kind: 'wait', waitMs: 1 });
      await clock.advance(1);
      assert.deepEqual(await restarted.try(right), { kind: 'right' });
    });
  }
});

test('a try costs what is written, unless a test says otherwise: a hash of the one is none of the other', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-password-'));
  t.after(() => rm(dir, { recursive: true }));
  await new OperatorPassword(dir, new ManualClock()).set('123456');
  assert.equal((await new OperatorPassword(dir, new ManualClock(), passwordCost).try('123456')).kind, 'right');
  assert.equal((await new OperatorPassword(dir, new ManualClock(), cheap).try('123456')).kind, 'wrong');
  // 32 MiB and three passes (RFC 7914, 2: 128 * N * r bytes).
  assert.deepEqual([128 * passwordCost.N * passwordCost.r, passwordCost.p], [32 * 1024 * 1024, 3]);
});
