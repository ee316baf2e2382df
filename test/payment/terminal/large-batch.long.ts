import assert from 'node:assert/strict';
import { wallets } from '../../support/wallets.ts';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { loadCards } from '../../../hw-sim/card/card.ts';
import { encryptData } from '../../../hw-sim/crypto/dukpt.ts';
import { Iso8583Host } from '../../../hw-sim/host/iso8583/host.ts';
import { iso8583Acquirer } from '../../../src/hosts/iso8583/host.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { lastFourOnly } from '../../../src/base/domain/masking.ts';
import { openJournal } from '../../../src/journal/open-journal.ts';
import { JournalStore } from '../../../src/journal/store.ts';
import { systemClock as clock } from '../../../src/base/ports/clock.ts';
import { conclusionOf } from '../../../src/payment/transaction/decide.ts';
import { StoreAndForward } from '../../../src/payment/terminal/store-and-forward.ts';
import { Terminal } from '../../../src/payment/terminal/terminal.ts';
import { fromOne } from '../../journal/events.ts';
import { rules, timeouts, waits } from './stage.ts';
import { makeAcquirers, openMethods } from './stage-methods.ts';
import { ScriptedReader } from './scripted-reader.ts';
import { Trace } from './trace.ts';

const EDC = acquirerId('EDC');
const sales = 10_000;
/** The published DUKPT test key (X9.24-1:2009, A.4). */
const testBdk = Buffer.from('0123456789ABCDEFFEDCBA9876543210', 'hex');
const testKsn = Buffer.from('FFFF9876543210E00001', 'hex');
const identity = { tid: '12345678', mid: '123456789012345' };

/** Every amount another one, so that a transaction that is lost or sent twice can't hide behind its neighbour. */
const minorOf = (ordinal: number) => BigInt(ordinal * 7 + 13);

test(`a batch of ${sales} that the host knows nothing of is uploaded whole`, async (t) => {
  // In memory where there is such a place: ten thousand commits are not what is measured here.
  const dir = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'poid-large-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const cards = await loadCards(path.join(import.meta.dirname, '../../../fixtures/cards'));
  const { pan } = cards.get('visa') ?? assert.fail('no test card');
  const file = path.join(dir, 'journal.db');
  fill(file, pan);

  const host = new Iso8583Host({ id: 'EDC', cards: cards.values(), bdk: testBdk });
  t.after(() => host.close());
  await host.listen();
  const journal = await openJournal(file);
  const acquirer = iso8583Acquirer(
    {
      id: EDC,
      ...identity,
      nii: '003',
      tpdu: '6000030000',
      host: '127.0.0.1',
      port: host.port,
      connectTimeoutMs: 5_000,
      replyTimeoutMs: 10_000,
    },
    { clock },
  );
  const source = { kind: 'card', profile: { id: EDC, brands: ['VISA'] }, host: acquirer } as const;
  const acquirers = makeAcquirers([source], { journal, clock, prints: false });
  const forwarder = new StoreAndForward({ journal, acquirers: acquirers.acquirers, clock });
  const terminal = new Terminal({
    journal,
    forwarder,
    acquirers: acquirers.acquirers,
    methods: openMethods({
      ...acquirers,
      reader: new ScriptedReader(new Trace()),
      profiles: wallets,
      scanner: undefined,
      octopus: undefined,
      openDrawer: undefined,
      waits,
    }),
    screen: { isWatched: true, show: () => undefined, onAction: () => () => undefined },
    currency: 'HKD',
    clock,
    random: { bytes: (length) => Buffer.alloc(length, 1) },
    rules,
    timeouts,
  });

  t.after(async () => {
    await terminal.close();
    await forwarder.close();
    await acquirer.close();
    await journal.close();
  });

  const startMs = performance.now();
  const answer = await terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 'd' });
  const seconds = (performance.now() - startMs) / 1000;
  t.diagnostic(`settled in ${seconds.toFixed(1)} s`);

  assert.ok(answer.kind === 'ended');
  const [result] = answer.settlement.results ?? [];
  assert.equal(result?.result, 'UPLOADED');
  assert.match(result.reason ?? '', /books differed before the upload/);
  // 13 n + 7 (1 + … + n)
  const total = 13n * BigInt(sales) + (7n * BigInt(sales) * BigInt(sales + 1)) / 2n;
  assert.deepEqual(result.totals, [{ kind: 'SALE', currency: 'HKD', count: sales, totalMinor: total.toString() }]);
  const [entry, ...others] = host.settlements();
  assert.deepEqual(others, []);
  assert.deepEqual([entry?.result, entry?.uploaded, entry?.batch], ['UPLOADED', sales, 1]);
  assert.deepEqual(entry?.terminal.sales, {
    count: sales,
    amount: `${total / 100n}.${String(total % 100n).padStart(2, '0')}`,
  });
  const ledger = host.ledger();
  assert.equal(ledger.length, sales);
  assert.equal(new Set(ledger.map(({ stan }) => stan)).size, sales);
  assert.equal(host.unexpected.length, 0);
  assert.equal(await journal.openBatch(EDC), 2);
});

/** Approved sales, as they stand in a journal. */
function fill(file: string, pan: string): void {
  const store = new JournalStore(file, undefined, fromOne);
  // EMV tag 5A, its length and the number, padded with 00 to whole blocks (fixtures/README.md).
  const object = Buffer.from(`5A${(pan.length / 2).toString(16).padStart(2, '0')}${pan}`, 'hex');
  const clear = Buffer.concat([object, Buffer.alloc((8 - (object.length % 8)) % 8)]);
  const encryptedPan = encryptData(testBdk, testKsn, clear).toString('hex').toUpperCase();
  for (let ordinal = 1; ordinal <= sales; ordinal++) {
    const id = String(ordinal).padStart(26, '0') as Parameters<JournalStore['read']>[0];
    const outcome = {
      kind: 'approved',
      responseCode: '00',
      approvalCode: String(ordinal).padStart(6, '0'),
      rrn: String(ordinal).padStart(12, '0'),
      hostTime: '120000',
      hostDate: '0101',
    } as const;
    store.open(id, {
      kind: 'accepted',
      posId: 'POS-1',
      messageId: `M-${ordinal}`,
      digest: 'd',
      type: 'SALE',
      amountMinor: minorOf(ordinal).toString(),
      currency: 'HKD',
      shape: 'A',
      printedBy: 'terminal',
    });
    const draft = {
      operation: 'sale',
      acquirerId: EDC,
      ...identity,
      card: {
        brand: 'VISA',
        entryMode: 'CONTACTLESS',
        maskedPan: lastFourOnly(`${pan.slice(0, 6)}******${pan.slice(-4)}`),
        aid: 'A0000000031010',
        appName: 'VISA CREDIT',
        authenticationMethod: 'NO_CVM',
        atc: '',
        tc: '',
        tsi: '',
        tvr: '',
      },
      ksn: testKsn.toString('hex').toUpperCase(),
      encryptedPan,
    } as const;
    store.intend(id, draft, [
      { kind: 'answered', outcome },
      { kind: 'ended', ...conclusionOf(outcome) },
    ]);
  }
  store.close();
}
