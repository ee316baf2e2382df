import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { scenarios, type Step } from '../../hw-sim/scenarios.ts';
import { eventually, type HttpAnswer, type Json, Stage } from '../e2e/stage.ts';

/** Each scenario of the library as the page plays it, against a real terminal: it ends as it says, and the frame that it names is seen. */
describe('a scenario of the simulator', () => {
  let stage: Stage;
  before(async () => (stage = await Stage.open()));
  after(() => stage.close());

  /** Returns without the answer of the last request, which may come later. */
  async function play(steps: readonly Step[]): Promise<{ readonly last?: Promise<HttpAnswer> | undefined }> {
    let last: Promise<HttpAnswer> | undefined;
    for (const step of steps) {
      if ('till' in step) {
        await last;
        last = stage.payment(stage.saleRequest(step.till));
      } else {
        const { status, body } = await stage.sim('POST', step.call, step.body);
        assert.equal(status, 200, `${step.call}: ${JSON.stringify(body)}`);
      }
    }
    return { last };
  }

  /** Sentences of all frames that came after one. */
  async function frames(after: number): Promise<{ readonly id: number; readonly summary: string }[]> {
    const { body } = await stage.sim('GET', `/api/wires?after=${after}`);
    return body.frames.map(({ id, summary }: Json) => ({ id, summary }));
  }

  for (const { id, steps, wire, mend, ends, beside } of scenarios) {
    // These need a terminal that was started with its simulator: test/cli/simulated-power.long.ts.
    if (beside) continue;
    test(id, async () => {
      assert.equal((await stage.sim('POST', '/api/faults/clear', {})).status, 200);
      // A reader that was plugged in again is not ready at once.
      await eventually(
        () => stage.status(),
        ({ ready }) => ready,
      );
      const before = (await frames(0)).at(-1)?.id ?? 0;
      const { last } = await play(steps);
      if (wire !== undefined) {
        await eventually(
          () => frames(before),
          (seen) => seen.some(({ summary }) => summary.includes(wire)),
        );
      }
      if (mend) await play(mend.steps);
      assert.equal((await last)?.body.responseResult, ends);
    });
  }

  test('clearing the faults leaves nothing of them', async () => {
    const { body } = await stage.sim('POST', '/api/faults/clear', {});
    assert.deepEqual(
      [body.hosts.EDC.mode, body.hosts.EDC.declineByAmount, body.hosts.EDC.faultByAmount],
      ['up', undefined, undefined],
    );
    assert.equal(body.printer.paperOut, false);
    const { status } = await stage.sim('GET', '/api/host/EDC/ledger');
    assert.equal(status, 200);
  });
});
