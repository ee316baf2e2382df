import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { type QfpayHost, type QfpayHostMode, testAppCode, testClientKey } from '../../../../hw-sim/host/qfpay/host.ts';
import { type Answer, isSigned } from './client.ts';
import { orders, payTypes, type Started, started, txdtm } from './started.ts';

const deadline = { timeout: 20_000 };
const first = { out_trade_no: 'T1-000001', txamt: '3000', txdtm };

/** Comes back when the host has changed so that this holds. */
function until(host: QfpayHost, holds: () => boolean): Promise<void> {
  if (holds()) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = host.onChange(() => {
      if (!holds()) return;
      stop();
      resolve();
    });
  });
}

/** Sends a sale, waits until it is in the books, and gives up on its answer. */
async function unanswered(
  t: TestContext,
  { host, client }: Started,
  call: 'payment' | 'refund' = 'payment',
): Promise<void> {
  const gone = new AbortController();
  t.after(() => gone.abort());
  const before = host.ledger().length;
  const fields =
    call === 'payment'
      ? { ...first, txcurrcd: 'HKD', pay_type: '800008', auth_code: host.walletCode('ALIPAY') }
      : { ...first, out_trade_no: 'R', syssn: host.ledger()[0]?.syssn ?? '' };
  let answered = false;
  const sent = client.call(call, fields, { signal: gone.signal }).then(
    () => (answered = true),
    () => undefined,
  );
  await until(host, () => host.ledger().length > before);
  // Served in order on another connection: by now an answer would have been written.
  await client.call('query', {});
  gone.abort();
  await sent;
  assert.equal(answered, false);
}

/** Stops the clock, and comes back once somebody waits for so long. */
function timerOf(t: TestContext, wantedMs: number): Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stopped = globalThis.setTimeout;
  return new Promise((resolve) => {
    t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => {
      if (ms === wantedMs) resolve();
      return stopped(run, ms);
    });
  });
}

describe('silent', deadline, () => {
  it('posts the payment and never answers; enquiries are answered', async (t) => {
    const at = await started(t, { mode: 'silent' });
    await unanswered(t, at);
    assert.deepEqual(orders(at.host), ['T1-000001 SALE 30.00 POSTED']);
    assert.equal((await at.client.enquire({ out_trade_no: 'T1-000001' }))[0]?.['respcd'], '0000');
    await unanswered(t, at, 'refund');
    assert.equal(at.host.ledger()[1]?.status, 'POSTED');
    assert.equal((await at.client.call('reversal', { ...first, out_trade_no: 'R' })).respcd, '0000');
  });

  it('a code that was never told is on no screen', async (t) => {
    const { host, present, client } = await started(t, { mode: 'silent' });
    const gone = new AbortController();
    const sent = assert.rejects(
      client.call('payment', { ...first, txcurrcd: 'HKD', pay_type: payTypes.FPS }, { signal: gone.signal }),
    );
    await until(host, () => host.ledger().length > 0);
    assert.equal(host.state().onShow, null);
    assert.deepEqual(host.pay(), { done: false, why: 'no code is on show' });
    gone.abort();
    await sent;
    await host.setMode({ mode: 'up' });
    await present({ out_trade_no: 'T1-000002' });
    assert.equal(host.state().onShow?.tradeNo, 'T1-000002');
  });

  for (const mode of ['silent', 'late'] as const) {
    it(`${mode}, reversals: they are carried out and not answered; enquiries are`, async (t) => {
      const { host, client, present } = await started(t);
      await present({ pay_type: payTypes.ALIPAY });
      await host.setMode({ mode, reversals: true });
      const gone = new AbortController();
      const refused = assert.rejects(client.call('close', first, { signal: gone.signal }));
      await until(host, () => host.state().closeRequests === 1);
      assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 CLOSED']);
      await client.call('query', {});
      gone.abort();
      await refused;
    });
  }

  it('silent, enquiries: they are not answered; reversals are', async (t) => {
    const { host, client } = await started(t, { mode: 'silent', enquiries: true });
    const gone = new AbortController();
    const refused = assert.rejects(client.call('query', {}, { signal: gone.signal }));
    await until(host, () => host.state().enquiryRequests === 1);
    assert.equal((await client.call('reversal', first)).respcd, '1136');
    gone.abort();
    await refused;
  });
});

describe('late', deadline, () => {
  it('posts at once and answers after its time', async (t) => {
    const { host, scan } = await started(t, { mode: 'late', delayMs: 1234 });
    const waits = timerOf(t, 1234);
    let answered = false;
    const answer = scan().finally(() => (answered = true));
    await waits;
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED']);
    t.mock.timers.tick(1233);
    assert.equal(answered, false);
    t.mock.timers.tick(1);
    assert.equal((await answer).respcd, '0000');
  });

  it('waits 8 seconds where nothing is said, and a code is on show only then', async (t) => {
    const { host, present } = await started(t, { mode: 'late' });
    const waits = timerOf(t, 8000);
    const answer = present();
    await waits;
    assert.equal(host.state().onShow, null);
    t.mock.timers.tick(8000);
    await answer;
    assert.notEqual(host.state().onShow, null);
  });

  it('lets enquiries and reversals be on time', async (t) => {
    const { client } = await started(t, { mode: 'late' });
    assert.equal((await client.call('query', {})).respcd, '0000');
    assert.equal((await client.call('reversal', first)).respcd, '1136');
  });

  it('up with a delay: every answer waits', async (t) => {
    const { client } = await started(t, { mode: 'up', delayMs: 777 });
    const waits = timerOf(t, 777);
    const answer = client.call('query', {});
    await waits;
    t.mock.timers.tick(777);
    assert.equal((await answer).respcd, '0000');
  });

  it('an answer that waits is forgotten by a reset', async (t) => {
    const { host, client } = await started(t, { mode: 'late', delayMs: 1234 });
    const waits = timerOf(t, 1234);
    const gone = new AbortController();
    let answered = false;
    const sent = client
      .call('payment', { ...first, txcurrcd: 'HKD', pay_type: payTypes.FPS }, { signal: gone.signal })
      .then(
        () => (answered = true),
        () => undefined,
      );
    await waits;
    await host.reset();
    t.mock.timers.tick(10_000);
    assert.deepEqual(await client.enquire({}), []);
    gone.abort();
    await sent;
    assert.equal(answered, false);
  });
});

describe('garbage', deadline, () => {
  it('carries out and answers with nothing that is an answer, in five ways', async (t) => {
    const { host, scan, client } = await started(t, { mode: 'garbage' });
    const seen = new Set<string>();
    for (let i = 0; i < 40; i++) seen.add(await scan().then(kindOfGarbage, () => 'no HTTP'));
    assert.deepEqual([...seen].toSorted(), ['502', 'cut JSON', 'no HTTP', 'other JSON', 'page']);
    assert.equal(host.ledger().filter(({ status }) => status === 'POSTED').length, 40);
    assert.equal((await client.call('query', {})).respcd, '0000');
    await host.setMode({ mode: 'garbage', enquiries: true });
    const enquiries = await Promise.all(
      Array.from({ length: 10 }, () => client.call('query', {}).then(kindOfGarbage, () => 'no HTTP')),
    );
    assert.ok(!enquiries.includes('sound'));
  });
});

function kindOfGarbage(answer: Answer): string {
  const { status, headers, text, respcd } = answer;
  if (status === 502) return '502';
  if (String(headers['content-type']).startsWith('text/html')) return 'page';
  if (text.startsWith('[')) return 'other JSON';
  if (respcd === undefined) return isSigned(answer) ? 'sound' : 'cut JSON';
  return 'sound';
}

/** MD5 of no fields and the key. */
const ofNothing = createHash('md5').update(testClientKey).digest('hex');

describe('duplicate', deadline, () => {
  it('sends every answer twice on one connection, and does the work once', async (t) => {
    const { host } = await started(t, { mode: 'duplicate' });
    const socket = connect(host.port, '127.0.0.1');
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    const received: Buffer[] = [];
    const twice = new Promise<string>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        received.push(chunk);
        const text = Buffer.concat(received).toString('utf8');
        if (text.split('"data":[').length === 3) resolve(text);
      });
    });
    socket.write(
      'POST /trade/v1/query HTTP/1.1\r\nhost: h\r\ncontent-type: application/x-www-form-urlencoded\r\n' +
        `x-qf-appcode: ${testAppCode}\r\nx-qf-sign: ${ofNothing}\r\ncontent-length: 0\r\n\r\n`,
    );
    const text = await twice;
    assert.equal(text.match(/HTTP\/1\.1 200 OK\r\n/g)?.length, 2);
    assert.equal(new Set(text.match(/\{.*?\]\}/g)).size, 1);
    assert.equal(host.state().enquiryRequests, 1);
  });

  it('a sale is booked once and its first answer is sound', async (t) => {
    const { host, scan } = await started(t, { mode: 'duplicate' });
    const answer = await scan();
    assert.ok(isSigned(answer));
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED']);
  });
});

describe('closeAfterRequest', deadline, () => {
  it('carries out and closes without an answer', async (t) => {
    const { host, scan, client } = await started(t, { mode: 'closeAfterRequest' });
    await assert.rejects(scan(), { code: 'ECONNRESET' });
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED']);
    assert.equal((await client.call('query', {})).respcd, '0000');
    await host.setMode({ mode: 'closeAfterRequest', enquiries: true });
    await assert.rejects(client.call('query', {}), { code: 'ECONNRESET' });
  });
});

describe('a mode that does not exist', deadline, () => {
  const wrong: readonly unknown[] = [
    { mode: 'sideways' },
    { mode: 'late', delayMs: -1 },
    { mode: 'late', delayMs: 1.5 },
    { mode: 'late', delayMs: 600_001 },
    { mode: 'up', decline: '05' },
    { mode: 'up', decline: '0000' },
    { mode: 'up', declineRefunds: '1298' },
    { mode: 'up', customer: 'dances' },
    { mode: 'up', outcome: 'known' },
    { mode: 'up', processingEnquiries: -1 },
    { mode: 'up', processingEnquiries: 1001 },
    { mode: 'up', enquiries: true },
    { mode: 'duplicate', enquiries: true },
  ];
  for (const mode of wrong) {
    it(`is refused: ${JSON.stringify(mode)}`, async (t) => {
      const { host } = await started(t);
      await assert.rejects(host.setMode(mode as QfpayHostMode), RangeError);
      assert.equal(host.state().mode, 'up');
    });
  }
});
