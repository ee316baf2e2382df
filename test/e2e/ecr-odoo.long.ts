import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test, type TestContext } from 'node:test';
import { clientAt } from '../pos/ecr/ecr-client.ts';
import { NoticeServer } from '../pos/ecr/notice-server.ts';
import { loadScript, odooOrigin, OdooTill } from '../pos/ecr/odoo-till.ts';
import { eventually, Stage } from './stage.ts';

/**
 * Odoo's own script pays. It is not part of this repository: POID_ODOO_DIR names a checkout of odoo/odoo, or a
 * directory with its addons/pos_qfpay/static/src/app (docs/ecr.md states the commits and the result).
 */
const checkout = process.env['POID_ODOO_DIR'] ?? '';
const skip = checkout === '' && 'POID_ODOO_DIR names no checkout of Odoo';

const key = 'poid-test-key-16';
const noticeKey = 'notify-test-key';

describe('Odoo’s script for QFPay terminals', { skip }, () => {
  let stage: Stage;
  let server: NoticeServer;
  let till: OdooTill;
  before(async () => {
    server = await new NoticeServer(noticeKey).start();
    const tills = [{ posId: 'POS-1', key, notify: { url: server.url, key: noticeKey } }];
    const http = { tls: true, origins: [odooOrigin] };
    stage = await Stage.open({ configuration: { http, ecr: { host: '127.0.0.1', port: 0, tills } } });
    till = new OdooTill(await loadScript(checkout), await clientAt(stage.apiUrl, key), key);
    server.onNotice = (notice) => till.hear(notice);
  });
  after(async () => {
    await stage.close();
    await server.stop();
  });
  afterEach(async () => {
    await stage.assertDisarmed();
    assert.deepEqual(await stage.unexpected(), []);
    await stage.sim('POST', '/api/reset', { force: true });
    till.dialogs.length = 0;
  });

  /** The number of bookings that a test has added. */
  async function booked(t: TestContext, work: () => Promise<void>): Promise<number> {
    const earlier = (await stage.posted()).length;
    await work();
    t.diagnostic(till.calls.splice(0).join(', '));
    return (await stage.posted()).length - earlier;
  }

  test('a card pays: the line is done by the notification, with number and reference', async (t) => {
    const line = till.line('a1', 88.5);
    const count = await booked(t, async () => {
      const sent = till.send(line);
      await stage.tap('visa');
      assert.equal(await sent, true);
    });
    assert.deepEqual([count, line.status, till.dialogs], [1, 'done', []]);
    assert.match(line.transaction_id ?? '', /^[0-9A-Z]{26}$/);
    assert.match(line.payment_ref_no ?? '', /./);
  });

  test('after a decline the same line is sent again, and pays once', async (t) => {
    const line = till.line('a2', 30);
    await stage.host('EDC', { mode: 'up', decline: '51' });
    const count = await booked(t, async () => {
      const declined = till.send(line);
      await stage.tap('visa');
      assert.equal(await declined, false);
      assert.match(till.dialogs.join(), /Error Code: 6002/);
      await stage.host('EDC', { mode: 'up' });
      const sent = till.send(line);
      await stage.tap('visa');
      assert.equal(await sent, true);
    });
    assert.equal(count, 1);
  });

  test('the cashier cancels, and sends again', async (t) => {
    const line = till.line('a3', 30);
    const count = await booked(t, async () => {
      const cancelled = till.send(line);
      await stage.view(({ scene }) => scene === 'presentCard');
      await till.cancel(line);
      assert.equal(await cancelled, false);
      assert.deepEqual(till.dialogs, []);
      const sent = till.send(line);
      await stage.tap('visa');
      assert.equal(await sent, true);
    });
    assert.equal(count, 1);
  });

  test('a cancel that is too late opens a dialog; sent again, the line joins the payment, whose outcome is heard', async (t) => {
    const line = till.line('a4', 30);
    await stage.host('EDC', { mode: 'silent', reversals: true });
    const count = await booked(t, async () => {
      const sent = till.send(line);
      await stage.tap('visa');
      await stage.view(({ scene }) => scene === 'processing' || scene === 'authorizing');
      await till.cancel(line);
      // The script gives the line up at once, while the host is still asked.
      assert.equal(await sent, false);
      assert.match(till.dialogs.join(), /Error Code: 6002/);
      assert.equal(await till.send(line), false);
      await stage.host('EDC', { mode: 'up' });
      await eventually(
        async () => till.calls.filter((each) => each === 'trade 6002').length,
        (answered) => answered === 2,
      );
    });
    assert.equal(count, 0);
  });

  test('the page is loaded again while the customer pays: the notification sets the line itself', async (t) => {
    const line = till.line('a5', 30);
    const count = await booked(t, async () => {
      void till.send(line);
      await stage.view(({ scene }) => scene === 'presentCard');
      till.reload();
      const heard = server.received(server.notices.length + 1);
      await stage.tap('visa');
      await heard;
    });
    assert.deepEqual([count, line.status], [1, 'done']);
  });

  test('the notification found no line: sent again, the line is done, and nothing is charged again', async (t) => {
    const line = till.line('a6', 30);
    const count = await booked(t, async () => {
      void till.send(line);
      await stage.view(({ scene }) => scene === 'presentCard');
      till.reload();
      line.status = 'retry';
      const heard = server.received(server.notices.length + 1);
      await stage.tap('visa');
      await heard;
      assert.equal(line.status, 'retry');
      assert.equal(await till.send(line), true);
    });
    assert.deepEqual([count, line.status], [1, 'done']);
  });

  test('a refund is done by the type of notification that this version knows; it ignores the other', async (t) => {
    const paid = till.line('a7', 45);
    const warned = t.mock.method(console, 'warn', () => undefined);
    await booked(t, async () => {
      const sent = till.send(paid);
      await stage.tap('visa');
      assert.equal(await sent, true);
    });
    const refund = till.line('a8', -45, paid);
    const from = server.notices.length;
    await booked(t, async () => assert.equal(await till.send(refund), true));
    await server.received(from + 2);
    assert.deepEqual([refund.status, till.dialogs, warned.mock.callCount()], ['done', [], 1]);
    assert.notEqual(refund.transaction_id, paid.transaction_id);
  });
});
