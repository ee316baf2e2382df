import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import { Client } from '../host/qfpay/client.ts';
import { Daemon } from '../octopus/daemon.ts';
import { command } from '../reader/wire.ts';
import { type BenchInUse, benchInUse, type Reply } from './bench-in-use.ts';
import type { Line } from './line.ts';

const pollOnDemand = command('01-01', '01');
/** 02-40 for 1.00 HKD by every interface: DFEF37 07. */
const activate = command(
  '02-40',
  '1E 9C0100 9F0206000000000100 9F0306000000000000 5F2A020344 DFEF370107 DFEF3C03010060',
);
const askForPin = command('62-01', '01 00 0C 04 09 454E5445522050494E 001E');
/** Honeywell's SYN T CR. */
const startScanner = '16540d';

const stateShape = z.object({
  reader: z.object({
    armed: z.boolean(),
    connected: z.boolean(),
    insertedCard: z.string().optional(),
    chipWaits: z.boolean(),
    pinPad: z.object({ asking: z.boolean() }),
    unexpected: z.array(z.unknown()),
  }),
  scanner: z.object({ connected: z.boolean(), triggered: z.boolean(), scans: z.number() }),
  octopus: z.object({
    plugged: z.boolean(),
    polling: z.boolean(),
    heldCard: z.string().optional(),
    cards: z.array(z.object({ name: z.string(), cardId: z.string(), balanceMinor: z.string() })),
  }),
  hosts: z.object({
    QR: z.object({
      onShow: z.object({ qr: z.string(), wallet: z.string() }).nullable(),
      askedForPassword: z.string().nullable(),
      customer: z.string().optional(),
    }),
  }),
});

async function stateOf(bench: BenchInUse): Promise<z.infer<typeof stateShape>> {
  return stateShape.parse((await bench.call('GET', '/api/state')).json());
}

function refusal(reply: Reply, status: number): string {
  assert.equal(reply.status, status, reply.body.toString());
  return z.strictObject({ error: z.string().min(10) }).parse(reply.json()).error;
}

/** The body of a call that succeeded. */
async function done(call: Promise<Reply>): Promise<Record<string, unknown>> {
  const reply = await call;
  assert.equal(reply.status, 200, reply.body.toString());
  return z.looseObject({}).parse(reply.json());
}

/** Command and status of the reader's next frame. */
async function nextFrame(line: Line): Promise<string> {
  const head = await line.read(14);
  await line.read(Number(`0x${head.slice(24)}`) + 2);
  return head.slice(20, 24);
}

async function armed(bench: BenchInUse): Promise<Line> {
  const line = bench.line('reader');
  line.write(pollOnDemand);
  assert.equal(await nextFrame(line), '0100');
  line.write(activate);
  return line;
}

describe('a card in its slot, or drawn through', () => {
  it('insert waits until the reader does, and the chip until it is told', async (t) => {
    const bench = await benchInUse(t);
    const inserted = bench.call('POST', '/api/reader/insert', { card: 'visa', holdMs: 60_000 });
    const line = await armed(bench);
    assert.equal(await nextFrame(line), '0223');
    assert.deepEqual(await done(inserted), { read: true });
    const { reader } = await stateOf(bench);
    assert.deepEqual([reader.insertedCard, reader.chipWaits, reader.armed], ['visa', true, false]);
    line.write(command('60-12', '01 8A023030'));
    assert.equal(await nextFrame(line), '6063');
    assert.equal(await nextFrame(line), '6000');
    assert.equal((await stateOf(bench)).reader.insertedCard, undefined);
  });

  it('a card that nobody has read comes out again', async (t) => {
    const bench = await benchInUse(t);
    assert.match(refusal(await bench.call('POST', '/api/reader/insert', { card: 'visa', holdMs: 1 }), 409), /1 ms/);
    assert.equal((await stateOf(bench)).reader.insertedCard, undefined);
    assert.match(refusal(await bench.call('POST', '/api/reader/swipe', { card: 'eps', holdMs: 1 }), 409), /1 ms/);
    assert.match(refusal(await bench.call('POST', '/api/reader/swipe', { card: 'none' }), 400), /amex.*eps/);
  });

  it('swipe is met by the next arming; a chip that fails lets its stripe be read', async (t) => {
    const bench = await benchInUse(t);
    const swiped = bench.call('POST', '/api/reader/swipe', { card: 'eps', holdMs: 60_000 });
    const line = await armed(bench);
    assert.equal(await nextFrame(line), '0200');
    assert.deepEqual(await done(swiped), { read: true });

    await done(bench.call('POST', '/api/reader/fault', { chipFails: true }));
    line.write(activate);
    await done(bench.call('POST', '/api/reader/insert', { card: 'visa' }));
    assert.equal(await nextFrame(line), '020a');
    line.write(activate);
    await done(bench.call('POST', '/api/reader/swipe', { card: 'visa' }));
    assert.equal(await nextFrame(line), '0200');
  });

  it('a fault with holdMs strikes once a card is awaited', async (t) => {
    const bench = await benchInUse(t);
    const early = await bench.call('POST', '/api/reader/fault', { unplug: true, holdMs: 1 });
    assert.match(refusal(early, 409), /no card was awaited/);
    assert.equal((await stateOf(bench)).reader.connected, true);
    const held = bench.call('POST', '/api/reader/fault', { unplug: true, holdMs: 60_000 });
    await armed(bench);
    await done(held);
    assert.equal((await stateOf(bench)).reader.connected, false);
    assert.match(refusal(await bench.call('POST', '/api/reader/fault', { holdMs: 5 }), 400), /no fault/);
  });

  it('remove takes the chip from under its host', async (t) => {
    const bench = await benchInUse(t);
    const line = await armed(bench);
    await done(bench.call('POST', '/api/reader/insert', { card: 'visa' }));
    assert.equal(await nextFrame(line), '0223');
    await done(bench.call('POST', '/api/reader/remove'));
    line.write(command('60-12', '01 8A023030'));
    assert.equal(await nextFrame(line), '6063');
    assert.equal(await nextFrame(line), '600a');
  });
});

describe('POST /api/pin-pad/enter', () => {
  /** A card was read, and its PIN is asked for. */
  async function asked(t: TestContext): Promise<{ bench: BenchInUse; line: Line }> {
    const bench = await benchInUse(t);
    const line = await armed(bench);
    await done(bench.call('POST', '/api/reader/swipe', { card: 'eps' }));
    assert.equal(await nextFrame(line), '0200');
    return { bench, line };
  }

  it('waits until a PIN is asked for', async (t) => {
    const { bench, line } = await asked(t);
    const entered = bench.call('POST', '/api/pin-pad/enter', { pin: '1357', holdMs: 60_000 });
    line.write(askForPin);
    assert.equal(await nextFrame(line), '6200');
    assert.equal(await nextFrame(line), '6200');
    await done(entered);
    assert.equal((await stateOf(bench)).reader.pinPad.asking, false);
  });

  it('CANCEL is a key of it', async (t) => {
    const { bench, line } = await asked(t);
    line.write(askForPin);
    assert.equal(await nextFrame(line), '6200');
    assert.equal((await stateOf(bench)).reader.pinPad.asking, true);
    await done(bench.call('POST', '/api/pin-pad/enter', { key: 'CANCEL' }));
    assert.equal(await nextFrame(line), '6200');
  });

  it('refuses what no pad takes, and says when nobody asks', async (t) => {
    const bench = await benchInUse(t);
    for (const body of [{ pin: '12a4' }, { pin: '123' }, { key: 'ENTER' }, {}]) {
      refusal(await bench.call('POST', '/api/pin-pad/enter', body), 400);
    }
    const reply = await bench.call('POST', '/api/pin-pad/enter', { pin: '1357', holdMs: 1 });
    assert.match(refusal(reply, 409), /no PIN was asked for/);
    // A PIN has no business in what a simulator says.
    assert.doesNotMatch(reply.body.toString(), /1357/);
  });
});

describe('/api/scanner', () => {
  it('scans once the terminal has started it, CR LF behind', async (t) => {
    const bench = await benchInUse(t);
    const scanned = bench.call('POST', '/api/scanner/scan', { code: '289431869362714645', holdMs: 60_000 });
    const line = bench.line('scanner');
    line.write(startScanner);
    assert.deepEqual(await done(scanned), { read: true });
    assert.equal(Buffer.from(await line.read(20), 'hex').toString('latin1'), '289431869362714645\r\n');
    const { scanner } = await stateOf(bench);
    assert.deepEqual([scanner.triggered, scanner.scans], [false, 1]);
  });

  it('says when nobody started it, and what is no code', async (t) => {
    const bench = await benchInUse(t);
    assert.match(refusal(await bench.call('POST', '/api/scanner/scan', { code: '1', holdMs: 1 }), 409), /1 ms/);
    assert.match(refusal(await bench.call('POST', '/api/scanner/scan', { code: 'é' }), 400), /printable ASCII/);
    refusal(await bench.call('POST', '/api/scanner/scan', { code: '' }), 400);
    refusal(await bench.call('POST', '/api/scanner/scan', { code: '1'.repeat(513) }), 400);
  });

  it('scans a new code of a wallet’s phone, and none of a wallet that shows no codes', async (t) => {
    const bench = await benchInUse(t);
    const line = bench.line('scanner');
    line.write(startScanner);
    assert.deepEqual(await done(bench.call('POST', '/api/scanner/scan', { wallet: 'ALIPAY', holdMs: 60_000 })), {
      read: true,
    });
    // Codes of Alipay: 16 to 24 digits, 25 to 30 first.
    assert.match(Buffer.from(await line.read(20), 'hex').toString('latin1'), /^(?:2[5-9]|30)\d{14,22}\r\n$/);
    for (const wallet of ['FPS', 'NOBODY']) {
      assert.match(refusal(await bench.call('POST', '/api/scanner/scan', { wallet }), 400), new RegExp(wallet));
    }
    refusal(await bench.call('POST', '/api/scanner/scan', { wallet: 'ALIPAY', code: '12' }), 400);
  });

  it('fault: unplugged and back, and a code that is spoilt', async (t) => {
    const bench = await benchInUse(t);
    await done(bench.call('POST', '/api/scanner/fault', { unplug: true }));
    assert.equal((await stateOf(bench)).scanner.connected, false);
    await done(bench.call('POST', '/api/scanner/fault', { unplug: false, noise: true }));
    const line = bench.line('scanner');
    line.write(startScanner);
    await done(bench.call('POST', '/api/scanner/scan', { code: '12' }));
    assert.equal(await line.read(9), '00ff1ba5c131320d0a');
    assert.match(refusal(await bench.call('POST', '/api/scanner/fault', {}), 400), /no fault/);
    assert.match(refusal(await bench.call('POST', '/api/scanner/fault', { paperOut: true }), 400), /paperOut/);
  });
});

describe('/api/octopus', () => {
  it('tap waits until a deduction has used the card; purses and books tell of it', async (t) => {
    const bench = await benchInUse(t);
    const tapped = bench.call('POST', '/api/octopus/tap', { card: 'octopus', holdMs: 60_000 });
    const daemon = await Daemon.open(bench.octopusPath);
    t.after(() => daemon.hangUp());
    await daemon.call('open');
    const { cardId } = await daemon.call('poll', { timeoutMs: 1000 });
    assert.equal(cardId, '90000018');
    await daemon.deduct('T1', 300, '90000018');
    assert.deepEqual(await done(tapped), { read: true });
    const { octopus } = await stateOf(bench);
    assert.equal(octopus.cards.find(({ name }) => name === 'octopus')?.balanceMinor, '47000');
    assert.deepEqual((await bench.call('GET', '/api/octopus/cards')).json(), octopus.cards);
    const ledger = z.array(z.looseObject({})).parse((await bench.call('GET', '/api/octopus/ledger')).json());
    assert.partialDeepStrictEqual(ledger, [
      { reference: 'T1', amountMinor: '3000', status: 'POSTED', uploaded: false },
    ]);
    await done(bench.call('POST', '/api/reset'));
    assert.deepEqual((await bench.call('GET', '/api/octopus/ledger')).json(), []);
    assert.equal((await stateOf(bench)).octopus.cards[0]?.balanceMinor, '50000');
  });

  it('tap: 409 for a card that went unused, 400 for one that does not exist', async (t) => {
    const bench = await benchInUse(t);
    assert.match(refusal(await bench.call('POST', '/api/octopus/tap', { card: 'octopus', holdMs: 1 }), 409), /1 ms/);
    assert.match(refusal(await bench.call('POST', '/api/octopus/tap', { card: 'visa' }), 400), /octopus-low/);
  });

  it('fault: what it names, and nothing else', async (t) => {
    const bench = await benchInUse(t);
    const daemon = await Daemon.open(bench.octopusPath);
    await daemon.call('open');
    await done(bench.call('POST', '/api/octopus/fault', { incompleteNext: 'notDeducted' }));
    void bench.call('POST', '/api/octopus/tap', { card: 'octopus' });
    await daemon.call('poll', { timeoutMs: 1000 });
    assert.equal((await daemon.deduct('T1', 300, '90000018'))['code'], 100_022);
    await done(bench.call('POST', '/api/octopus/fault', { unplug: true }));
    await daemon.closed;
    assert.equal((await stateOf(bench)).octopus.plugged, false);
    await done(bench.call('POST', '/api/octopus/fault', { unplug: false }));
    assert.match(
      refusal(await bench.call('POST', '/api/octopus/fault', { incompleteNext: 'maybe' }), 400),
      /incompleteNext/,
    );
    refusal(await bench.call('POST', '/api/octopus/fault', { chipFails: true }), 400);
  });
});

describe('/api/wallet', () => {
  const shown = {
    pay_type: '801501',
    txamt: '3000',
    txcurrcd: 'HKD',
    out_trade_no: 'T-1',
    txdtm: '2026-01-01 12:00:00',
  };

  /** Bench, and the terminal's side of its wallet host. */
  async function withHost(t: TestContext): Promise<{ bench: BenchInUse; client: Client }> {
    const bench = await benchInUse(t);
    return { bench, client: new Client(() => bench.walletPort) };
  }

  it('pay: the code on show, named or not, as soon as there is one; once', async (t) => {
    const { bench, client } = await withHost(t);
    const paying = bench.call('POST', '/api/wallet/pay', { holdMs: 60_000 });
    const { body } = await client.call('payment', shown);
    assert.partialDeepStrictEqual(await done(paying), { tradeNo: 'T-1', status: 'POSTED', amountMinor: '3000' });
    assert.equal((await stateOf(bench)).hosts.QR.onShow, null);
    const again = await bench.call('POST', '/api/wallet/pay', { qr: body['qrcode'], holdMs: 1 });
    assert.match(refusal(again, 409), /the code is paid/);
    const ledger = z.array(z.looseObject({})).parse((await bench.call('GET', '/api/host/QR/ledger')).json());
    assert.partialDeepStrictEqual(ledger, [{ kind: 'SALE', wallet: 'ALIPAY', status: 'POSTED' }]);
    assert.deepEqual((await bench.call('GET', '/api/host/QR/settlements')).json(), []);
  });

  it('pay: says why it can’t', async (t) => {
    const { bench } = await withHost(t);
    assert.match(refusal(await bench.call('POST', '/api/wallet/pay', { holdMs: 1 }), 409), /no code is on show/);
    assert.match(refusal(await bench.call('POST', '/api/wallet/pay', { qr: 'x', holdMs: 1 }), 409), /no such code/);
  });

  it('code: another one at every call, for the wallets that have them', async (t) => {
    const { bench } = await withHost(t);
    const codes = new Set<unknown>();
    for (const wallet of ['ALIPAY', 'WECHAT', 'UPI_QR', 'UPI_QR']) {
      codes.add((await done(bench.call('POST', '/api/wallet/code', { wallet })))['code']);
    }
    assert.equal(codes.size, 4);
    refusal(await bench.call('POST', '/api/wallet/code', { wallet: 'FPS' }), 400);
  });

  it('confirm and refuse: whoever is asked for a password', async (t) => {
    const { bench, client } = await withHost(t);
    await done(bench.call('POST', '/api/host/QR', { customer: 'password' }));
    for (const [call, status] of [
      ['confirm', 'POSTED'],
      ['refuse', 'FAILED'],
    ]) {
      const answering = bench.call('POST', `/api/wallet/${call}`, { holdMs: 60_000 });
      const code = String((await done(bench.call('POST', '/api/wallet/code', { wallet: 'ALIPAY' })))['code']);
      await client.call('payment', { ...shown, pay_type: '800108', out_trade_no: `T-${call}`, auth_code: code });
      assert.partialDeepStrictEqual(await done(answering), { tradeNo: `T-${call}`, status });
    }
    assert.equal((await stateOf(bench)).hosts.QR.askedForPassword, null);
    assert.match(refusal(await bench.call('POST', '/api/wallet/confirm', { holdMs: 1 }), 409), /nobody is asked/);
    refusal(await bench.call('POST', '/api/wallet/refuse', { code: '1' }), 400);
  });

  it('hosts have manners of their own, all of them told in their state', async (t) => {
    const { bench } = await withHost(t);
    const manners = {
      EDC: [
        {
          mode: 'overtaken',
          lateAnswer: true,
          delayMs: 5,
          duplicates: '94',
          approveAdvices: '08',
          rejectAdvices: '57',
        },
        { settled: 'refused', settledCode: '77', settledRepeats: true, keepAliveMs: 60_000, secondBitmap: true },
        { extraFields: { 44: 'BDBB', 37: null } },
      ],
      QR: [
        { queryLagMs: 5, queryTime: 'txdtm', clockOffsetMs: -86_400_000, utcOffsetMinutes: -300 },
        { answerSignature: 'data', answerSignType: 'MD5', unknownOrder: '1268', excessRefunds: '1269' },
      ],
    };
    const page = await readFile(new URL('../../../hw-sim/page/host-mode.js', import.meta.url), 'utf8');
    for (const [id, modes] of Object.entries(manners)) {
      for (const mode of modes) {
        assert.partialDeepStrictEqual(await done(bench.call('POST', `/api/host/${id}`, mode)), mode);
        // The page sends all that is set: what it does not know it would switch off.
        for (const name of Object.keys(mode)) assert.ok(page.includes(`'${name}'`), name);
      }
    }
    const extra = [
      { 1: '' },
      { 65: '00' },
      { 129: '00' },
      { x: '00' },
      { 44: 'B' },
      { 43: '00' },
      { 44: '00'.repeat(100) },
    ];
    for (const extraFields of [...extra, { 44: 7 }]) {
      refusal(await bench.call('POST', '/api/host/EDC', { extraFields }), 400);
    }
    for (const body of [{ lateAnswer: true }, { settledRepeats: true }, { keepAliveMs: 0 }, { duplicates: '95' }]) {
      refusal(await bench.call('POST', '/api/host/EDC', body), 400);
    }
    for (const body of [{ queryTime: 'now' }, { utcOffsetMinutes: 900 }, { answerSignature: 'wrong' }]) {
      refusal(await bench.call('POST', '/api/host/QR', body), 400);
    }
  });

  it('the mode of its host has fields of its own', async (t) => {
    const { bench } = await withHost(t);
    await done(bench.call('POST', '/api/host/QR', { mode: 'silent', enquiries: true, customer: 'processing' }));
    assert.equal((await stateOf(bench)).hosts.QR.customer, 'processing');
    for (const body of [{ decline: '51' }, { decline: '1143' }, { enquiries: true }, { mismatch: true }]) {
      refusal(await bench.call('POST', '/api/host/QR', body), 400);
    }
    for (const body of [{ customer: 'pays' }, { decline: '1201' }]) {
      refusal(await bench.call('POST', '/api/host/EPS', body), 400);
    }
    await done(bench.call('POST', '/api/reset'));
    assert.equal((await stateOf(bench)).hosts.QR.customer, undefined);
  });
});
