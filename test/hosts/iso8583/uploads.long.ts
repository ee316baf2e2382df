import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { UploadOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import { uploadOrders } from './orders.ts';
import { bench, uploadAnswer } from './terminal.ts';

test('10,000 uploads in a row leave no timer, listener or memory behind', { timeout: 60_000 }, async (t) => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => warnings.push(name);
  process.on('warning', onWarning);
  t.after(() => process.off('warning', onWarning));
  const { host, clock, acquirer, late } = await bench(t);
  let side: Awaited<ReturnType<typeof host.accepted>> | undefined;

  const upload = async (stan: number): Promise<void> => {
    const order: UploadOrder = { ...uploadOrders.sale, stan };
    const outcome = acquirer.upload(order, false);
    side ??= await host.accepted();
    const frame = await side.readFrame();
    const field11 = String(stan).padStart(6, '0');
    assert.equal(frame.slice(52, 58), field11);
    await side.write(uploadAnswer({ stan: field11 }));
    assert.deepEqual(await outcome, { kind: 'accepted' });
    assert.equal(clock.pending, 0);
  };

  const heapBytes = collected();
  for (let stan = 1; stan <= 2_000; stan++) await upload(stan);
  const before = heapBytes();
  for (let stan = 2_001; stan <= 10_000; stan++) await upload(stan);
  const grownBytes = heapBytes() - before;
  // A kept promise or timer is some 300 bytes: 2.4 MB after these 8,000.
  assert.ok(grownBytes < 1_500_000, `grown by ${grownBytes} bytes`);
  assert.deepEqual(warnings, []);
  assert.equal(late.length, 0);
  assert.equal(host.connections, 1);
});

/** The size of the heap after a full collection. */
function collected(): () => number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  return () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
}
