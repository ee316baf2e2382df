import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { scenarios } from '../../hw-sim/scenarios.ts';
import { recordingShape } from '../../hw-sim/session/recording.ts';
import { replay } from '../../hw-sim/session/replay.ts';
import { ownDirectory, Poid, processes } from './poid.ts';
import { eventually } from '../e2e/stage.ts';

// Answers are read as the tests find them: an absent field fails its assertion.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

const patienceMs = 60_000;

/** `poid run --sim`, which has the terminal's mains. */
async function simulated(t: TestContext) {
  const dir = await ownDirectory(t);
  const run = new Poid(t, ['run', '--sim', '--port', '0', '--screen-port', '0', '--sim-port', '0'], { cwd: dir });
  const [, simulator = ''] = await run.said(/simulator {5}(http:\S+)\n/);
  const call = async (path: string, body?: object): Promise<Json> => {
    const response = await fetch(`${simulator}${path}`, body && { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, ...((await response.json()) as object) };
  };
  const until = async (ask: () => Promise<Json>, done: (answer: Json) => boolean) => {
    for (const end = Date.now() + patienceMs; ; await pause(50)) {
      const now = await ask();
      if (done(now)) return now;
      assert.ok(Date.now() < end, JSON.stringify(now));
    }
  };
  /** The scenario of the page; resolves once the terminal has power again. */
  const cutPower = async (identity: object) => {
    const { steps = [] } = scenarios.find(({ id }) => id === 'powerCut') ?? {};
    let reported: Promise<Json> | undefined;
    for (const step of steps) {
      if ('till' in step) reported = call('/api/till/call', { path: 'payment', body: { ...identity, ...step.till } });
      else assert.equal((await call(step.call, step.body)).status, 200, step.call);
    }
    assert.equal((await reported).status, 502);
    await until(state, ({ terminal: { power } }) => power === 'off');
    await until(state, ({ terminal: { power } }) => power === 'on');
  };
  const state = () => call('/api/state');
  /** The frames of EDC, once one of them says this. */
  const untilHost = async (words: string): Promise<Json[]> => {
    const isThere = (seen: Json) => seen.frames.some(({ summary }: Json) => summary.includes(words));
    return (await until(() => call('/api/wires?line=EDC'), isThere)).frames;
  };
  return { run, simulator, call, until, cutPower, untilHost };
}

test('a power cut at the request to the host: the reversal is the first thing that the host hears after it', async (t) => {
  const { run, call, until, cutPower, untilHost } = await simulated(t);
  const terminalPid = () =>
    processes().find(({ command, parent }) => parent === run.pid && / run --sim/.test(command))?.pid;
  const before = terminalPid();
  const { terminal } = await call('/api/state');
  assert.deepEqual([terminal.power, terminal.cutAt], ['on', undefined]);

  const { wire = '' } = scenarios.find(({ id }) => id === 'powerCut') ?? {};
  const identity = { posId: 'POS-1', messageId: 'M-1' };
  await cutPower(identity);
  const frames = await untilHost(wire);
  const frames8583 = frames.filter(({ kind, summary }: Json) => kind === 'frame' && summary !== 'keep-alive');
  const heard = frames8583.filter(({ direction }: Json) => direction === 'fromTerminal');
  const [sale = '', reversal = ''] = heard.map(({ summary }: Json) => summary);
  assert.match(sale, /^0200 financial request/);
  assert.match(reversal, /^0400 reversal/);
  assert.equal(/STAN (\d+)/.exec(reversal)?.[1], /STAN (\d+)/.exec(sale)?.[1]);

  // The same terminal, at the same addresses, and it takes payments again.
  assert.notEqual(terminalPid(), before);
  const enquire = async () =>
    JSON.parse((await call('/api/till/call', { path: 'enquiry', body: identity })).body ?? '{}');
  const answer = await until(enquire, ({ financialImpact }) => financialImpact === 'REVERSED');
  assert.deepEqual([answer.responseResult, answer.transactionResult.tranStatus], ['ERROR', 'REVERSED']);
  run.kill('SIGTERM');
  assert.equal((await run.ended).code, 0);
});

test('a recording with a power cut replays: the till has no answer then, either', async (t) => {
  const { simulator, call, cutPower, untilHost } = await simulated(t);
  await call('/api/session', {});
  await cutPower({ posId: 'POS-1', messageId: 'M-1' });
  await untilHost('0410');
  // The terminal writes down what its host has said a moment after it has said so.
  const recorded = async () => recordingShape.parse(await (await fetch(`${simulator}/api/session`)).json());
  const recording = await eventually(recorded, ({ steps }) =>
    steps.some((step) => 'till' in step && step.journal === 'REVERSED'),
  );
  const reported = recording.steps.flatMap((step) => ('till' in step ? [[step.told, step.journal]] : []));
  assert.deepEqual(reported, [['no answer', 'REVERSED']]);
  const { differences } = await replay(recording, simulator);
  assert.deepEqual(differences, []);
});
