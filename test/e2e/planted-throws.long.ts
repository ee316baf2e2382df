import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RawBroker, answerTo } from '../support/raw-broker.ts';
import type { PartName } from '../../src/observability/part-boundary.ts';
import { drained } from './books.ts';
import type { Breaking, Planted } from './planting.ts';
import { eventually, type Json, Stage } from './stage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ways: readonly Breaking[] = ['call', 'timer', 'rejection', 'listener'];

/** A method of each part that is called before or during a payment. */
const parts: readonly (readonly [part: PartName, Planted])[] = [
  ['print', { module: '/src/payment/terminal/receipt-service.ts', className: 'ReceiptService', method: 'wake' }],
  ['screen', { module: '/src/screen/server.ts', className: 'ScreenPage', method: 'show' }],
  ['metrics', { module: '/src/observability/metrics.ts', className: 'Metrics', method: 'emit' }],
  ['events', { module: '/src/pos/api/event-stream.ts', className: 'EventStream', method: 'emit' }],
  ['trace', { module: '/src/observability/line-trace.ts', className: 'LineTrace', method: 'hear' }],
  ['cloud', { module: '/src/pos/cloud/event-topic.ts', className: 'EventTopic', method: 'publish' }],
];

async function openPlanted(planted: Planted, configuration: Json = {}): Promise<Stage> {
  const environment = {
    NODE_OPTIONS: `--import ${new URL('planting.ts', import.meta.url).href}`,
    POID_PLANTED: JSON.stringify(planted),
  };
  return Stage.open({
    program: `${root}src/main/cli.ts`,
    environment,
    configuration,
    hosts: ['EDC'],
    acquirer: { replyTimeoutMs: 10_000 },
  });
}

/** A payment whose host takes its time: `meanwhile` runs while it is there. */
async function payMeanwhile(stage: Stage, meanwhile: () => void): Promise<{ request: Json; answer: Json }> {
  await stage.host('EDC', { mode: 'late', delayMs: 700 });
  const request = stage.saleRequest({ preferredEntryMode: 'CARD' });
  const paying = stage.post('payment', request).catch((error: unknown) => ({ body: { lost: String(error) } }));
  await stage.tap('visa');
  await eventually(
    () => stage.status(),
    ({ state }) => state === 'authorizing',
  );
  meanwhile();
  return { request, answer: (await paying).body };
}

for (const [part, planted] of parts)
  describe(`${part} fails while a payment is at its host`, () => {
    for (const way of ways)
      test(`by a ${way}: the payment ends as it would, and nobody but the log and the metrics hears of it`, async (t) => {
        const broker = await RawBroker.start((each, connection) => connection.send(answerTo(each) ?? Buffer.alloc(0)));
        const cloud = { url: `mqtt://127.0.0.1:${broker.port}`, terminal: 'T-1' };
        const stage = await openPlanted(planted, { cloud, metrics: { enabled: true } });
        t.after(async () => {
          await stage.close();
          broker.close();
        });
        if (part === 'cloud')
          await eventually(
            () => stage.status(),
            (status) => status.cloud.state === 'connected',
          );
        // What is planted is planted by the first payment, wherever that calls the method.
        assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
        const pid = stage.daemonPid;
        const { answer, request } = await payMeanwhile(stage, () => stage.sendToDaemon({ plant: way }));
        assert.equal(answer.responseResult, 'SUCCESS', JSON.stringify(answer));
        const lines = () => stage.log.split('\n').filter((line) => line.includes('a part failed'));
        await eventually(
          async () => lines(),
          (all) => all.length > 0,
        );
        assert.equal(lines().length, 1);
        assert.match(lines()[0] ?? '', new RegExp(`"type":"${part}".*planting\\.ts|planting\\.ts.*"type":"${part}"`));
        const answered = (await stage.enquiry(request)).body;
        assert.deepEqual(
          [answered.responseResult, answered.financialImpact ?? 'NONE'],
          ['SUCCESS', answer.financialImpact ?? 'NONE'],
        );
        assert.equal((await stage.posted()).length, 2);
        const metrics = await (await fetch(`${stage.screenUrl}/metrics`)).text();
        assert.match(metrics, new RegExp(`poid_part_failures_total\\{part="${part}"\\} 1`));
        // The part works on, and so does the terminal.
        await stage.host('EDC', { mode: 'up' });
        assert.equal((await stage.paid('mastercard')).body.responseResult, 'SUCCESS');
        assert.equal(stage.daemonPid, pid);
        assert.ok(stage.running);
      });
  });

test('an exception of the payment itself ends the process, and the next start makes the books agree', async (t) => {
  const stage = await openPlanted({
    module: '/src/payment/terminal/terminal.ts',
    className: 'Terminal',
    method: 'pay',
  });
  t.after(() => stage.close());
  const { request, answer } = await payMeanwhile(stage, () => stage.sendToDaemon({ plant: 'timer' }));
  assert.ok(answer.lost, JSON.stringify(answer));
  await eventually(
    async () => stage.running,
    (isRunning) => !isRunning,
  );
  assert.match(stage.log, /planted: timer/);
  await stage.host('EDC', { mode: 'up' });
  await stage.startDaemon();
  await drained(stage);
  const { status, body } = await eventually(
    () => stage.enquiry(request),
    (answer) => answer.body.financialImpact !== 'REVERSAL_PENDING',
  );
  assert.equal(status, 200);
  assert.notEqual(body.responseResult, 'SUCCESS');
  assert.equal((await stage.posted()).length, 0);
  assert.equal((await stage.paid('mastercard')).body.responseResult, 'SUCCESS');
});

test('the daemon loads nothing of the update agent, which is a process of its own: what fails there is not here', async (t) => {
  const stage = await openPlanted({ module: '/src/fleet/updates/agent.ts', className: 'Agent', method: 'run' });
  t.after(() => stage.close());
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.doesNotMatch(stage.log, /planted in/);
});
