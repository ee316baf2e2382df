import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkMode, type QfpayHostMode } from '../../../../hw-sim/host/qfpay/mode.ts';
import { orders, started } from './started.ts';

describe('a fault aimed at the n-th message of the wallet’s host', () => {
  it('meets the n-th payment or refund, and nothing before, between and after', async (t) => {
    const { client, host, scan, refund } = await started(t, { mode: 'closeAfterRequest', atMessage: 3 });
    const first = await scan();
    assert.equal(first.respcd, '0000');
    assert.equal((await refund(first, { txamt: '100' })).respcd, '0000');
    assert.equal((await client.call('query', {})).respcd, '0000');
    await assert.rejects(scan());
    assert.equal((await client.call('query', {})).respcd, '0000');
    assert.equal((await scan()).respcd, '0000');
    // It was carried out all the same.
    assert.equal(orders(host).filter((each) => each.endsWith('SALE 30.00 POSTED')).length, 3);
  });

  it('aims declines, outcomes and spoilt answers too, and counts anew from when it was set', async (t) => {
    const { host, scan } = await started(t, { mode: 'up', decline: '1108', atMessage: 1 });
    assert.deepEqual([(await scan()).respcd, (await scan()).respcd], ['1108', '0000']);
    await host.setMode({ mode: 'up', outcome: 'unknown', atMessage: 2 });
    assert.deepEqual([(await scan()).respcd, (await scan()).respcd], ['0000', '1298']);
  });

  it('counts enquiries with `enquiries`', async (t) => {
    const { client, scan } = await started(t, { mode: 'closeAfterRequest', enquiries: true, atMessage: 2 });
    assert.equal((await scan()).respcd, '0000');
    await assert.rejects(client.call('query', {}));
    assert.equal((await client.call('query', {})).respcd, '0000');
  });

  it('leaves what belongs to the host: its clock and its signature', async (t) => {
    const manners = { answerSignature: 'none', answerSignType: 'SHA256' } as const;
    const { scan } = await started(t, { mode: 'silent', atMessage: 2, ...manners });
    const { headers } = await scan();
    assert.equal(headers['x-qf-sign'], undefined);
  });

  it('is refused where it has no meaning', () => {
    checkMode({ mode: 'silent', atMessage: 1000 });
    const wrong: readonly QfpayHostMode[] = [
      { mode: 'silent', atMessage: 0 },
      { mode: 'silent', atMessage: 1.5 },
      { mode: 'silent', atMessage: 1001 },
      { mode: 'down', atMessage: 1 },
      { mode: 'silent', atMessage: 1, reversals: true },
      { mode: 'up', atMessage: 1, close: false },
    ];
    for (const each of wrong) assert.throws(() => checkMode(each), RangeError, JSON.stringify(each));
  });
});
