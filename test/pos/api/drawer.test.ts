import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { TillDrawer } from '../../../src/pos/peripherals/till-drawer.ts';
import { PairedKeys } from '../../../src/pos/pairing/paired-keys.ts';
import { RequestAuthenticator } from '../../../src/pos/pairing/request-authenticator.ts';
import { SigningPos } from '../pairing/signing.ts';
import { noCounter } from '../../support/no-counter.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
import { ScriptedPrinter } from '../../payment/terminal/scripted-printer.ts';
import { served } from './served.ts';
import { watched } from './watched.ts';

const target = '/sp/v1/drawer/open';
const request = { posId: 'POS-1', messageId: 'D-1', cashierId: 'Ann' };

function counterOf(printer: ScriptedPrinter, isAllowed = true) {
  return { ...noCounter, drawer: new TillDrawer({ isAllowed, printer, record: () => undefined }) };
}

test('opened, another request of that name, without its printer, forbidden', async (t) => {
  const printer = new ScriptedPrinter();
  const { call } = await served(t, { counter: counterOf(printer) });
  const open = async (fields = {}) => {
    const { status, json } = await call({ path: target, body: JSON.stringify({ ...request, ...fields }) });
    return [status, json.reason ?? json];
  };
  assert.deepEqual(await open(), [200, { ...request, responseResult: 'SUCCESS', responseCode: 0 }]);
  assert.deepEqual(await open({ cashierId: 'Bob' }), [409, 'messageIdReused']);
  assert.deepEqual(await open({ cashierID: 'Bob' }), [400, 'fieldUnknown']);
  assert.deepEqual(await open({ messageId: 'D-9', cashierId: '4761739001010119' }), [422, 'cardNumberNotAllowed']);
  printer.fault = 'absent';
  assert.deepEqual(await open({ messageId: 'D-2' }), [503, 'printerAbsent']);
  const { call: forbidden } = await served(t, { counter: counterOf(printer, false) });
  const { status, json } = await forbidden({ path: target, body: JSON.stringify(request) });
  assert.deepEqual([status, json.reason, json.financialImpact], [422, 'drawerNotAllowed', 'NONE']);
  assert.equal(printer.drawers, 1);
});

test('where points of sale are paired, only their signed calls open it, print and show', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-drawer-'));
  t.after(() => rm(dir, { recursive: true }));
  const keys = new PairedKeys(dir);
  const pos = new SigningPos('POS-1');
  const printer = new ScriptedPrinter();
  const gate = (clock: Parameters<typeof RequestAuthenticator.open>[1]) => RequestAuthenticator.open(keys, clock);
  const { port, clock } = await watched(t, {}, gate, counterOf(printer));
  await keys.put(pos.paired);
  const ask = async (call: string, fields: object, isSigned: boolean) => {
    const body = JSON.stringify(fields);
    const own = isSigned ? pos.headers(`127.0.0.1:${port}`, 'POST', call, body, clock.now()) : {};
    const headers = { 'content-type': 'application/json', ...own };
    const answer = await fetch(`http://127.0.0.1:${port}${call}`, { method: 'POST', headers, body });
    noteReasons(await answer.json());
    return answer.status;
  };
  for (const call of [target, '/sp/v1/print', '/sp/v1/report/print'])
    assert.equal(await ask(call, request, false), 401, call);
  assert.equal(await ask(target, { ...request, posId: 'POS-2' }, true), 403);
  assert.equal(printer.drawers, 0);
  assert.equal(await ask(target, request, true), 200);
  assert.equal(printer.drawers, 1);
});
