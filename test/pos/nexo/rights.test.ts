import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock, systemRandom } from '../../../src/base/ports/clock.ts';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { nexoSettings } from '../../../src/config/nexo-settings.ts';
import { settings as configuration } from '../../../src/config/settings.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';
import { CallRooms } from '../../../src/pos/api/call-rooms.ts';
import { openPosCalls } from '../../../src/pos/api/open-pos-calls.ts';
import { WaitingCalls } from '../../../src/pos/api/waiting-calls.ts';
import { nexo } from '../../../src/pos/nexo/open-nexo.ts';
import { terminalCapabilitiesOf } from '../../payment/transaction/terminal-capabilities.ts';
import { noCounter } from '../../support/no-counter.ts';
import { bare, collectTimes, noLists, noReports, noReprints, profiles, ScriptedTerminal, shop } from '../api/served.ts';
import { NexoTill } from './till.ts';

const identity = selfSign(['localhost']);
const http = configuration.shape.http.parse({});
/** Test keys. */
const key = { identifier: 'test-key', version: 1, passphrase: 'a test passphrase' };
const shared = { ...key, identifier: 'shared-key' };

/** The protocol over the terminal's own calls. */
async function opened(t: TestContext, isPairingRequired: boolean) {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-nexo-'));
  const terminal = new ScriptedTerminal();
  const parts = {
    terminal,
    waiting: new WaitingCalls(),
    pictures: new ReadingTurns(),
    lists: noLists,
    reports: noReports,
    capabilities: terminalCapabilitiesOf(profiles, bare),
    collectTimes,
    shop,
    answerFor: () => ({ shape: 'A', printedBy: 'terminal' }) as const,
    reprints: noReprints,
    counter: noCounter,
    status: async () => ({ responseResult: 'SUCCESS' }),
  };
  const onFailure = (error: unknown) => assert.fail(String(error));
  const calls = openPosCalls({ parts, isPairingRequired, rooms: new CallRooms(), onFailure });
  const settings = nexoSettings.parse({
    port: 0,
    host: '127.0.0.1',
    poiId: 'POID-1',
    keys: [{ ...key, posId: 'POS-1' }, shared],
  });
  const own = { settings, calls, stateDir: dir, http, identity: async () => identity };
  const protocol = await nexo.open({ ...own, clock: systemClock, random: systemRandom, onFailure });
  t.after(async () => {
    await protocol.close();
    rmSync(dir, { recursive: true });
  });
  return { terminal, port: protocol.port ?? 0 };
}

test('where POS must be paired, the key of a POS pays in its name, and one without a POS pays nothing', async (t) => {
  const { terminal, port } = await opened(t, true);
  const paid = (await new NexoTill({ port, key }).payment()).body.PaymentResponse;
  assert.equal(paid.Response.ErrorCondition, 'UnavailableDevice');
  assert.deepEqual(
    terminal.paid.map(({ posId, amount }) => [posId, amount.minor]),
    [['POS-1', 3_000n]],
  );
  const refused = (await new NexoTill({ port, key: shared }).payment()).body.PaymentResponse;
  assert.equal(refused.Response.ErrorCondition, 'NotAllowed');
  assert.equal(new URLSearchParams(refused.Response.AdditionalResponse).get('reason'), 'notPaired');
  assert.equal(terminal.paid.length, 1);
});

test('a SaleID is a POS of its own, and none is the terminal', async (t) => {
  const { terminal, port } = await opened(t, false);
  await new NexoTill({ port, key: shared, saleId: 'Till 4' }).payment();
  const own = (await new NexoTill({ port, key: shared, saleId: 'OPERATOR' }).payment()).body.PaymentResponse;
  assert.equal(own.Response.ErrorCondition, 'NotAllowed');
  assert.deepEqual(
    terminal.paid.map(({ posId }) => posId),
    ['Till 4'],
  );
});

test('a till with many payments that wait gets Busy for one more, and another till pays', async (t) => {
  const { terminal, port } = await opened(t, false);
  const { promise: ended, resolve: end } = Promise.withResolvers<PayAnswer>();
  terminal.payAnswer = () => ended;
  const till = new NexoTill({ port, key });
  const waiting = Array.from({ length: 16 }, () => till.payment());
  await terminal.paidTimes(16);
  const { Response } = (await till.payment()).body.PaymentResponse;
  assert.equal(Response.ErrorCondition, 'Busy');
  const other = new NexoTill({ port, key: shared }).payment();
  await terminal.paidTimes(17);
  end({ kind: 'notReady', reason: 'deviceAbsent', message: 'the script ends' });
  for (const each of await Promise.all([...waiting, other])) {
    assert.equal(each.body.PaymentResponse.Response.ErrorCondition, 'UnavailableDevice');
  }
});
