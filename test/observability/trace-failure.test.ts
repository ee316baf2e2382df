import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { iso8583Acquirer } from '../../src/hosts/iso8583/host.ts';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { LineTrace, type TraceEnd } from '../../src/observability/line-trace.ts';
import { PartBoundary } from '../../src/observability/part-boundary.ts';
import type { LineMessageListener } from '../../src/payment/contracts/line-message.ts';
import { ScriptedHost } from '../hosts/iso8583/scripted-host.ts';
import { answerFrame, connectTimeoutMs, replyTimeoutMs, saleOrder } from '../hosts/iso8583/terminal.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** Makes a sale that its host approves, with a listener for its messages. */
async function sell(t: TestContext, onMessage: LineMessageListener) {
  const host = await ScriptedHost.listen();
  t.after(() => host.close());
  const line = { host: '127.0.0.1', port: host.port, connectTimeoutMs, replyTimeoutMs, tpdu: '6000030000' };
  const names = { id: acquirerId('EDC'), tid: '12345678', mid: '123456789012345', nii: '003' };
  const acquirer = iso8583Acquirer(
    { ...line, ...names, timeZone: 'Asia/Hong_Kong' },
    { clock: new ManualClock(), onMessage },
  );
  t.after(() => acquirer.close());
  const outcome = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await side.write(answerFrame());
  return outcome;
}

function guarded(t: TestContext) {
  const failures: unknown[] = [];
  const boundary = new PartBoundary({ failure: (_event, error) => failures.push(error), warn: () => undefined });
  t.after(() => boundary.close());
  const trace = new LineTrace(new ManualClock());
  const onMessage: LineMessageListener = (message) => boundary.notify('trace', () => trace.hear(message));
  return { boundary, failures, trace, onMessage };
}

for (const way of ['sent', 'received'] as const) {
  test(`a recorder that throws at a message that was ${way}: the payment is approved, and the trace is over`, async (t) => {
    const { boundary, failures, trace, onMessage } = guarded(t);
    const ends: TraceEnd[] = [];
    const record = (line: string) => {
      if (JSON.parse(line).direction === way) throw new TypeError('planted');
      return true;
    };
    trace.begin({ seconds: 60 }, { record, ended: (reason) => void ends.push(reason) });
    assert.equal((await sell(t, onMessage)).kind, 'approved');
    assert.deepEqual(ends, ['failure']);
    assert.equal(boundary.failures.get('trace'), 1);
    assert.match(String(failures[0]), /planted/);
  });
}

test('the sale and its answer are recorded as they go over the line', async (t) => {
  const { trace, onMessage } = guarded(t);
  const lines: string[] = [];
  trace.begin({ seconds: 60 }, { record: (line) => lines.push(line) > 0, ended: () => undefined });
  assert.equal((await sell(t, onMessage)).kind, 'approved');
  const traced = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    traced.map(({ direction, mti }) => [direction, mti]),
    [
      ['sent', '0200'],
      ['received', '0210'],
    ],
  );
});
