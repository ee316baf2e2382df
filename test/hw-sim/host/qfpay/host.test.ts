import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { QfpayHost } from '../../../../hw-sim/host/qfpay/host.ts';
import { orders, started } from './started.ts';

const deadline = { timeout: 20_000 };

describe('a QR wallet host', deadline, () => {
  it('tells how it is', async (t) => {
    const { host } = await started(t, { mode: 'up', customer: 'password', delayMs: 0 });
    assert.deepEqual(host.state(), {
      mode: 'up',
      customer: 'password',
      delayMs: 0,
      id: 'QR',
      port: host.port,
      listening: true,
      connections: 0,
      saleRequests: 0,
      enquiryRequests: 0,
      refundRequests: 0,
      reversalRequests: 0,
      closeRequests: 0,
      onShow: null,
      askedForPassword: null,
      wallets: [
        { code: 'ALIPAY', name: 'Alipay', showsCode: true },
        { code: 'WECHAT', name: 'WeChat Pay', showsCode: true },
        { code: 'UPI_QR', name: 'UnionPay QR', showsCode: true },
        { code: 'FPS', name: 'FPS', showsCode: false },
      ],
      unexpected: 0,
    });
    assert.equal(host.id, 'QR');
  });

  it('goes down and comes up under the same port, and keeps its books', async (t) => {
    const { host, scan } = await started(t);
    const { port } = host;
    await scan();
    await host.setMode({ mode: 'down' });
    assert.equal(host.state().listening, false);
    await assert.rejects(scan(), { code: 'ECONNREFUSED' });
    await Promise.all([host.setMode({ mode: 'up' }), host.setMode({ mode: 'down' }), host.setMode({ mode: 'up' })]);
    assert.equal(host.port, port);
    assert.equal((await scan()).respcd, '0000');
    assert.equal(host.ledger().length, 2);
  });

  it('cuts open connections when it goes down', async (t) => {
    const { host, client } = await started(t);
    const agent = new Agent({ keepAlive: true });
    t.after(() => agent.destroy());
    await client.call('query', {}, { agent });
    assert.equal(host.state().connections, 1);
    const cut = new Promise<void>((resolve) => {
      host.onChange(() => host.state().connections === 0 && resolve());
    });
    await host.setMode({ mode: 'down' });
    await cut;
    assert.equal(host.state().connections, 0);
  });

  it('serves many requests of one connection', async (t) => {
    const { host, client } = await started(t);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.call('query', {}, { agent })));
    assert.ok(answers.every(({ respcd }) => respcd === '0000'));
    assert.equal(host.state().connections, 1);
    assert.equal(host.state().enquiryRequests, 20);
  });

  it('stays as it was where its port was taken in the meantime', async (t) => {
    const { host } = await started(t);
    await host.setMode({ mode: 'down' });
    const other = createServer();
    other.listen(host.port, '127.0.0.1');
    await once(other, 'listening');
    await assert.rejects(host.setMode({ mode: 'up' }), { code: 'EADDRINUSE' });
    assert.equal(host.state().mode, 'down');
    other.close();
    await once(other, 'close');
    await host.setMode({ mode: 'up' });
    assert.equal(host.state().listening, true);
  });

  it('is not opened where its port is taken, nor once it is closed', async (t) => {
    const { host } = await started(t);
    const second = new QfpayHost({ id: 'QR', port: host.port });
    await assert.rejects(second.listen(), { code: 'EADDRINUSE' });
    await second.close();
    await assert.rejects(second.listen(), /is closed/);
  });

  it('waits to be opened where it was down before', async (t) => {
    const host = new QfpayHost({ id: 'QR' });
    t.after(() => host.close());
    await host.setMode({ mode: 'down' });
    const port = await host.listen();
    assert.ok(port > 0);
    assert.equal(host.state().listening, false);
  });

  it('is reset to a clean slate', async (t) => {
    const { host, client, scan, present } = await started(t, { mode: 'up', decline: '1201' });
    const code = host.walletCode('ALIPAY');
    await scan({ auth_code: code });
    await host.setMode({ mode: 'up', customer: 'password' });
    await present();
    await client.call('payment', {});
    await host.reset();
    assert.deepEqual(host.ledger(), []);
    assert.deepEqual(host.unexpected, []);
    const { mode, onShow, saleRequests, customer } = host.state();
    assert.deepEqual([mode, onShow, saleRequests, customer], ['up', null, 0, undefined]);
    assert.equal((await scan({ auth_code: code, out_trade_no: 'T1-000001' })).respcd, '0000');
  });

  it('calls back after every change, until it is told not to', async (t) => {
    const { host, client, present } = await started(t);
    let changes = 0;
    const stop = host.onChange(() => (changes += 1));
    const changed = async (act: () => unknown): Promise<boolean> => {
      const before = changes;
      await act();
      return changes > before;
    };
    assert.ok(await changed(() => present()));
    assert.ok(await changed(() => host.pay()));
    assert.ok(await changed(() => client.call('payment', {})));
    assert.ok(await changed(() => host.setMode({ mode: 'up', close: false })));
    assert.ok(await changed(() => host.reset()));
    stop();
    assert.ok(!(await changed(() => host.reset())));
  });

  it('gives the same codes for the same seed', async (t) => {
    const [one, same, other] = [
      await started(t, undefined, { seed: 7 }),
      await started(t, undefined, { seed: 7 }),
      await started(t, undefined, { seed: 8 }),
    ];
    const code = one.host.walletCode('WECHAT');
    assert.equal(same.host.walletCode('WECHAT'), code);
    assert.notEqual(other.host.walletCode('WECHAT'), code);
  });

  it('keeps no more than 500 findings, and goes on', async (t) => {
    const { host, client, scan } = await started(t);
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    t.after(() => agent.destroy());
    await Promise.all(Array.from({ length: 505 }, () => client.call('payment', {}, { agent })));
    assert.equal(host.unexpected.length, 500);
    assert.equal(host.state().unexpected, 500);
    assert.equal((await scan()).respcd, '0000');
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED']);
  });
});
