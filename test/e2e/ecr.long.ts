import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { clientAt, type EcrClient, printedContent, type Reply, terminalStatus } from '../pos/ecr/ecr-client.ts';
import { NoticeServer } from '../pos/ecr/notice-server.ts';
import { byShownCode } from './customer.ts';
import { eventually, type Json, Stage } from './stage.ts';

const key = 'poid-test-key-16';
const noticeKey = 'notify-test-key';

let stage: Stage;
let server: NoticeServer;
let client: EcrClient;
before(async () => {
  server = await new NoticeServer(noticeKey).start();
  const tills = [
    { posId: 'POS-1', key, notify: { url: server.url, key: noticeKey } },
    { posId: 'POS-2', key: 'poid-test-key-of-32-bytes-length' },
  ];
  const configuration = {
    http: { tls: true },
    ecr: { host: '127.0.0.1', port: 0, tills },
  };
  stage = await Stage.open({ configuration });
  client = await clientAt(stage.apiUrl, key);
});
after(async () => {
  await stage.close();
  await server.stop();
});
afterEach(async () => {
  await stage.assertDisarmed();
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', { force: true });
});

/** The bookings of the test under way: the host keeps those of the tests before it. */
let earlier = new Set<string>();
beforeEach(async () => {
  earlier = new Set((await stage.posted()).map((each) => JSON.stringify(each)));
});

const numberOf = (name: string) => `${name}--7--2`;
const sale = (name: string, amt: number, channel = 'card_payment', more: Json = {}) =>
  client.call('trade', { func_type: 1001, amt, channel, out_trade_no: numberOf(name), ...more });
const refund = (orderId: string, amount?: string) =>
  client.call('cancel', { func_type: 1002, orderId, ...(amount === undefined ? {} : { refund_amount: amount }) });
const stop = () => client.call('cancel_request', { func_type: 5001 });

function dataOf({ respcd, resperr, data }: Reply): Readonly<Record<string, string>> {
  assert.equal(respcd, '6000', resperr);
  return data ?? assert.fail('there is no data');
}

/** A card sale that is paid at once. */
async function sold(name: string, amt: number): Promise<Readonly<Record<string, string>>> {
  const answer = sale(name, amt);
  await stage.tap('visa');
  return dataOf(await answer);
}

async function amounts(): Promise<number[]> {
  const booked = (await stage.posted()).filter((each) => !earlier.has(JSON.stringify(each)));
  return booked.map(({ amount }) => Number(amount));
}

test('a card pays the call of the page: answer, notification, repeat, enquiry, receipt and summary agree', async () => {
  const content = printedContent('trade');
  const paid = client.call('trade', content);
  await stage.tap('visa');
  const data = dataOf(await paid);
  assert.deepEqual(
    [data['txamt'], data['txcurrcd'], data['cardscheme'], data['busicd'], data['out_trade_no']],
    ['10000', 'HKD', 'VISA', '802808', '456799999999'],
  );
  const [notice] = await server.received(1);
  assert.deepEqual(
    [notice?.['notify_type'], notice?.['status'], notice?.['syssn'], notice?.['txamt'], notice?.['out_trade_no']],
    ['payment', '1', data['syssn'], '10000', '456799999999'],
  );
  const again = dataOf(await client.call('trade', content));
  assert.equal(again['syssn'], data['syssn']);
  for (const by of [{ orderId: data['syssn'] ?? '' }, { out_trade_no: '456799999999' }]) {
    const found = dataOf(await client.call('query_transaction', { func_type: 4001, ...by }));
    assert.deepEqual([found['syssn'], found['allow_refund_amt'], found['cancel']], [data['syssn'], '10000', '0']);
  }
  assert.deepEqual(await amounts(), [100]);
  const printing = await client.call('print_receipt', { func_type: 3001, orderId: data['syssn'] ?? '' });
  assert.equal(printing.respcd, '6000', printing.resperr);
  assert.match(await stage.paper(), /DUPLICATE/);
  const summary = await client.call('transaction_info', printedContent('transaction_info'));
  assert.equal(summary.respcd, '6000', summary.resperr);
});

test('a wallet and Octopus pay, and an Octopus payment can’t be refunded', async () => {
  const wallet = sale('wallet', 88.3, 'wx', { scan_type: 'QRCODE_PAY' });
  await byShownCode('WECHAT').present(stage);
  const { busicd, txamt } = dataOf(await wallet);
  assert.deepEqual([busicd, txamt], ['800201', '8830']);
  const octopus = sale('octopus', 12.000000000000002, 'octopus');
  await stage.tapOctopus('octopus');
  const paid = dataOf(await octopus);
  assert.deepEqual([paid['busicd'], paid['txamt']], ['803708', '1200']);
  const refused = await refund(paid['syssn'] ?? '', '12.00');
  assert.equal(refused.respcd, '6002');
  assert.match(refused.resperr, /given back|not possible|can't/);
});

test('after a decline and after a cancel the same out_trade_no is a new payment, which is booked once', async () => {
  await stage.host('EDC', { mode: 'up', decline: '51' });
  const declined = sale('again', 30);
  await stage.tap('visa');
  assert.equal((await declined).respcd, '6002');
  await stage.host('EDC', { mode: 'up' });
  const begun = sale('again', 30);
  await stage.view(({ scene }) => scene === 'presentCard');
  assert.equal((await stop()).respcd, '6000');
  assert.equal((await begun).respcd, '6001');
  assert.equal((await stop()).respcd, '6000');
  const data = await sold('again', 30);
  assert.deepEqual(await amounts(), [30]);
  assert.equal(dataOf(await sale('again', 30))['syssn'], data['syssn']);
  const other = await sale('again', 31);
  assert.equal(other.respcd, '4006', other.resperr);
  assert.deepEqual(await amounts(), [30]);
});

test('a second part of the same amount is a second refund, and no part exceeds the rest', async () => {
  const { syssn = '' } = await sold('parts', 30);
  const ids: (string | undefined)[] = [];
  for (let part = 0; part < 2; part++) {
    const answer = refund(syssn, '10.00');
    await stage.tap('visa');
    const data = dataOf(await answer);
    assert.deepEqual([data['orig_syssn'], data['txamt'], data['originTxamt']], [syssn, '1000', '3000']);
    ids.push(data['syssn']);
  }
  assert.equal(new Set(ids).size, 2);
  assert.equal((await refund(syssn, '10.01')).respcd, '6002');
  const found = dataOf(await client.call('query_transaction', { func_type: 4001, orderId: syssn }));
  assert.deepEqual([found['cancel'], found['allow_refund_amt']], ['5', '1000']);
  const heard = await eventually(
    async () => server.notices.filter((each) => each['orig_syssn'] === syssn),
    (all) => all.length === 4,
  );
  const expected = ids.flatMap((id) => [id, id].map((each) => [each, numberOf('parts')]));
  assert.deepEqual(
    heard.map((each) => [each['syssn'], each['orig_out_trade_no']]),
    expected,
  );
  assert.deepEqual(
    heard.map((each) => each['notify_type']),
    ['cancel', 'refund', 'cancel', 'refund'],
  );
});

test('the whole amount is voided without a card, and refused a second time', async () => {
  const { syssn = '' } = await sold('whole', 20);
  const data = dataOf(await refund(syssn));
  assert.equal(data['txamt'], '2000');
  assert.equal(dataOf(await client.call('query_transaction', { func_type: 4001, orderId: syssn }))['cancel'], '2');
  assert.deepEqual(await amounts(), []);
  assert.equal((await refund(syssn, '20.00')).respcd, '6002');
});

test('the till loses its answer: the payment goes on, is notified once, and the same call gets its answer', async () => {
  const gone = new AbortController();
  const content = { func_type: 1001, amt: 45, channel: 'card_payment', out_trade_no: numberOf('lost') };
  const lost = client.call('trade', content, gone.signal);
  await stage.view(({ scene }) => scene === 'presentCard');
  gone.abort();
  await assert.rejects(lost);
  const again = client.call('trade', content);
  await stage.tap('visa');
  const { syssn } = dataOf(await again);
  assert.deepEqual(await amounts(), [45]);
  const [notice] = await eventually(
    async () => server.notices.filter((each) => each['out_trade_no'] === numberOf('lost')),
    (all) => all.length > 0,
  );
  assert.equal(notice?.['syssn'], syssn);
});

test('a POS neither cancels, refunds nor asks for the payments of another', async () => {
  const other = await clientAt(stage.apiUrl, 'poid-test-key-of-32-bytes-length');
  const begun = sale('mine', 30);
  await stage.view(({ scene }) => scene === 'presentCard');
  assert.equal((await other.call('cancel_request', { func_type: 5001 })).respcd, '6002');
  const busy = await other.call('trade', { func_type: 1001, amt: 1, channel: 'card_payment', out_trade_no: 'x' });
  assert.equal(busy.respcd, '6002');
  await stage.tap('visa');
  const { syssn = '' } = dataOf(await begun);
  for (const [name, content] of [
    ['cancel', { func_type: 1002, orderId: syssn }],
    ['query_transaction', { func_type: 4001, orderId: syssn }],
    ['query_transaction', { func_type: 4001, out_trade_no: numberOf('mine') }],
    ['print_receipt', { func_type: 3001, orderId: syssn }],
  ] as const) {
    assert.equal((await other.call(name, content)).respcd, '6002', name);
  }
  assert.deepEqual(await amounts(), [30]);
});

test('a power cut while the server of the POS is away: the notification is sent after the start', async () => {
  await server.stop();
  const { syssn } = await sold('dark', 25);
  await stage.stopDaemon('SIGKILL');
  const before = server.notices.length;
  await server.start();
  await stage.startDaemon();
  const all = await server.received(before + 1);
  assert.deepEqual([all.at(-1)?.['syssn'], all.at(-1)?.['out_trade_no']], [syssn, numberOf('dark')]);
  client = await clientAt(stage.apiUrl, key);
  assert.equal(dataOf(await sale('dark', 25))['syssn'], syssn);
  assert.deepEqual(await amounts(), [25]);
});

test('a power cut during a refund: the same call does not pay back twice', async () => {
  const { syssn = '' } = await sold('cut', 30);
  const begun = refund(syssn, '10.00');
  begun.catch(() => undefined);
  await stage.view(({ scene }) => scene === 'presentCard');
  await stage.stopDaemon('SIGKILL');
  await assert.rejects(begun);
  await stage.startDaemon();
  client = await clientAt(stage.apiUrl, key);
  // The answer to the first was lost, so this is its repeat: it was not carried out.
  assert.equal((await refund(syssn, '10.00')).respcd, '6002');
  const answer = refund(syssn, '10.00');
  await stage.tap('visa');
  assert.equal(dataOf(await answer)['txamt'], '1000');
  const found = dataOf(await client.call('query_transaction', { func_type: 4001, orderId: syssn }));
  assert.equal(found['allow_refund_amt'], '2000');
});

test('the API’s status names the port and what waits, and the log has neither key', async () => {
  server.verdicts.push({ status: 503, body: 'later' });
  await sold('status', 5);
  const { protocols } = await eventually(
    () => terminalStatus(stage.apiUrl),
    ({ protocols: { ecr } }) => ecr['notificationsWaiting'] === 1,
  );
  const { port = 0, underWay, notificationsGivenUp } = protocols.ecr;
  assert.ok(port > 0);
  assert.deepEqual([underWay, notificationsGivenUp], [0, 0]);
  for (const secret of [key, noticeKey]) assert.ok(!stage.log.includes(secret));
});
