import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { findHolds, type FoundHolds } from '../../../src/payment/holds/find-holds.ts';
import type { Configuration } from '../../../src/config/configuration.ts';
import type { CardAcquirer } from '../../../src/methods/card/settings.ts';
import type { WalletAcquirer } from '../../../src/methods/wallet/settings/acquirer-schema.ts';
import { compareTerms, type KeylessAcquirer, withoutKey } from '../../../src/config/host-terms.ts';
import type { Site } from '../../../src/base/domain/site.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { HeldAcquirers, holdText } from '../../../src/payment/holds/held-acquirers.ts';
import { begun } from '../terminal/method-stage.ts';
import { everything, sale, Stage } from '../terminal/stage.ts';
import { approves, declines, postsAndIsSilent } from '../terminal/scripted-host.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, { wallet: true, scanner: true });
});
afterEach(() => stage.close());

const card = (id: 'EDC' | 'CUP', more: Partial<CardAcquirer> = {}) =>
  ({
    id,
    protocol: 'iso8583',
    host: 'bank.example',
    port: id === 'EDC' ? 5_000 : 6_000,
    tid: stage[id === 'EDC' ? 'edc' : 'cup'].tid,
    mid: stage[id === 'EDC' ? 'edc' : 'cup'].mid,
    currencies: ['HKD', 'CNY'],
    ...more,
  }) as CardAcquirer;
const wallet = (more: Partial<WalletAcquirer> = {}) =>
  ({
    id: 'QR',
    protocol: 'qfpay',
    url: 'https://wallet.example/',
    tid: stage.wallet.tid,
    appCode: 'A',
    clientKey: 'secret',
    currencies: ['HKD'],
    ...(stage.wallet.mid === '' ? {} : { mchid: stage.wallet.mid }),
    ...more,
  }) as WalletAcquirer;

const inUse = (...all: readonly KeylessAcquirer[]) => ({
  all,
  of: (id: string) => all.find((each) => each.id === id),
});

/** What a start finds with this configuration, where the first two were in use. */
function holdsWith(
  configured: Configuration['acquirers'],
  kept = inUse(card('EDC'), card('CUP')),
): Promise<FoundHolds> {
  return findHolds({ acquirers: configured }, kept, stage.journal);
}

const namesOf = ({ holds }: FoundHolds) => holds.map(({ id, changed, behind }) => [id, behind ?? changed.join()]);

describe('an acquirer with unsettled money', () => {
  beforeEach(() => stage.paid());

  test('is held for each setting under which its host knows it', async () => {
    for (const [more, changed] of [
      [{ tid: '99999999' }, 'tid'],
      [{ mid: '999999999999999' }, 'mid'],
      [{ host: 'other.example' }, 'host'],
      [{ port: 5_001 }, 'port'],
      [{ currencies: ['CNY'] }, 'currencies'],
      [{ currencies: ['USD'] }, 'currencies'],
    ] as const) {
      const { holds, keeps } = await holdsWith([card('EDC', more as Partial<CardAcquirer>), card('CUP')]);
      assert.deepEqual(namesOf({ holds, keeps }), [['EDC', changed]]);
      assert.deepEqual(holds[0]?.former, card('EDC'));
      assert.ok(!keeps.has('EDC'));
    }
  });

  test('is not held for a currency that is added, the spelling of a host, or anything else', async () => {
    for (const more of [
      { currencies: ['HKD', 'CNY', 'USD'] },
      { host: 'BANK.example' },
      { connectTimeoutMs: 1 },
    ] as Partial<CardAcquirer>[]) {
      const { holds, keeps } = await holdsWith([card('EDC', more), card('CUP')]);
      assert.deepEqual(holds, []);
      assert.deepEqual(keeps.get('EDC'), card('EDC', more));
    }
  });

  test('is held if it is removed; another one that has its terminal id at its host waits behind it', async () => {
    assert.deepEqual(namesOf(await holdsWith([card('CUP')])), [['EDC', '']]);
    const renamed = card('CUP', { port: 5_000 });
    const { holds, keeps } = await holdsWith([renamed]);
    assert.deepEqual(namesOf({ holds, keeps }), [
      ['EDC', ''],
      ['CUP', 'EDC'],
    ]);
    assert.ok(!keeps.has('CUP'));
  });

  test('two that exchange their hosts: the one that has sold is held, and the other one behind it', async () => {
    const exchanged = [card('EDC', { port: 6_000 }), card('CUP', { port: 5_000 })];
    assert.deepEqual(namesOf(await holdsWith(exchanged)), [
      ['EDC', 'port'],
      ['CUP', 'EDC'],
    ]);
  });

  test('without a file of settings the intents tell terminal id and merchant id', async () => {
    const none = inUse();
    assert.deepEqual(namesOf(await holdsWith([card('EDC'), card('CUP')], none)), []);
    const { holds } = await holdsWith([card('EDC', { tid: '99999999' }), card('CUP')], none);
    assert.equal(holds[0]?.former?.tid, stage.edc.tid);
    // A file that another version has not kept up says less than the intents.
    const stale = inUse(card('EDC', { tid: '99999999' }));
    assert.deepEqual(namesOf(await holdsWith([card('EDC')], stale)), []);
  });

  test('is not held once it is settled, and its settings of now are kept', async () => {
    await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 'S' });
    const next = card('EDC', { tid: '99999999' });
    const { holds, keeps } = await holdsWith([next]);
    assert.deepEqual(holds, []);
    assert.deepEqual([keeps.get('EDC'), keeps.get('CUP')], [next, undefined]);
    assert.ok(keeps.has('CUP'), 'it is kept no more');
  });
});

describe('the sites of an acquirer with unsettled money', () => {
  const [a, b, c] = ['a.example', 'b.example', 'c.example'].map((host) => ({ host, port: 7_000 })) as [
    Site,
    Site,
    Site,
  ];
  const at = (sites: readonly Site[], more: Partial<CardAcquirer> = {}) =>
    card('EDC', {
      host: undefined,
      port: undefined,
      sites: [...sites],
      books: 'BOOKS',
      ...more,
    });
  const single = () => card('EDC', { host: a.host, port: a.port });
  const shared = { sharedBooks: true };
  const changed = async (before: KeylessAcquirer, after: CardAcquirer) =>
    (await holdsWith([after, card('CUP')], inUse(before, card('CUP')))).holds[0]?.changed ?? [];
  beforeEach(() => stage.paid());

  test('added, removed and put in another order: the same books', async () => {
    for (const [before, after] of [
      [at([a, b], shared), at([b, a, c], shared)],
      [at([a, b, c], shared), at([c], shared)],
      [at([a, b]), at([a, b], shared)],
      [single(), at([a, b], shared)],
      [single(), at([b, a], shared)],
      [at([a, b]), at([a, c])],
      [single(), at([a, b])],
      [single(), card('EDC', { ...single(), sites: [a], books: undefined })],
    ] as const)
      assert.deepEqual(await changed(before, after), [], JSON.stringify([before, after]));
  });

  test('another name of the books, or another first address without one, is a change', async () => {
    assert.deepEqual(await changed(at([a], shared), at([a], { ...shared, books: 'OTHER' })), ['books']);
    const [unnamed, turned] = [at([a, b], { books: undefined }), at([b, a], { books: undefined })];
    assert.deepEqual(await changed(unnamed, turned), ['host', 'sites']);
    assert.deepEqual(await changed(single(), at([b, c], shared)), ['host', 'sites', 'sharedBooks', 'books']);
  });

  test('with books of their own, the site that has it must stay; without an intent that tells, as the first', async () => {
    assert.deepEqual(await changed(single(), at([b, a])), ['host', 'sites', 'sharedBooks', 'books']);
    assert.deepEqual(await changed(at([a, b], shared), at([a, b])), ['sharedBooks']);
    const named = (used: string | undefined, after: CardAcquirer) => compareTerms(at([a, b]), after, used);
    assert.deepEqual(named('b.example:7000', at([b, a])), []);
    assert.deepEqual(named('b.example:7000', at([c, b])), []);
    assert.deepEqual(named('b.example:7000', at([a, c])), ['sites']);
  });

  test('another acquirer with the terminal id at one of its sites waits behind it', async () => {
    const cup = card('CUP', { host: b.host, port: b.port, tid: stage.edc.tid });
    const found = await holdsWith([at([a], { ...shared, books: 'OTHER' }), cup], inUse(at([a, b], shared)));
    assert.deepEqual(namesOf(found), [
      ['EDC', 'sites,sharedBooks,books'],
      ['CUP', 'EDC'],
    ]);
  });
});

test('a transaction that was declined under earlier numbers says nothing of those of the batch', async () => {
  const { tid } = stage.edc;
  const host: { tid: string } = stage.edc;
  host.tid = '11111111';
  stage.edc.onRequest = () => declines('05');
  assert.equal((await stage.paid()).kind, 'ended');
  host.tid = tid;
  stage.edc.onRequest = () => approves;
  await stage.paid(sale('M-2'));
  const { holds } = await holdsWith([card('EDC', { tid: '99999999' }), card('CUP')]);
  assert.deepEqual(
    holds.map(({ id, former }) => [id, former?.tid]),
    [['EDC', tid]],
  );
});

test('a queued reversal alone holds it, and an authorization that is not ended', async () => {
  stage.edc.onRequest = () => postsAndIsSilent;
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  await stage.paid();
  assert.deepEqual(namesOf(await holdsWith([card('EDC', { tid: '99999999' })])), [['EDC', 'tid']]);
  await stage.paid(sale('A-1', { type: 'AUTH' }), 'unionpay');
  await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 'S', acquirerId: acquirerId('CUP') });
  assert.deepEqual(namesOf(await holdsWith([card('EDC'), card('CUP', { mid: '999999999999999' })])), [['CUP', 'mid']]);
});

test('a wallet is held for its URL, terminal, merchant and application; its key is kept nowhere', async () => {
  const { answer } = await begun(stage, 'QR_SCAN');
  stage.scanner.read();
  await answer;
  const kept = inUse(withoutKey(wallet()));
  for (const [more, changed] of [
    [{ url: 'https://other.example/' }, 'url'],
    [{ tid: 'T-2' }, 'tid'],
    [{ mchid: 'M2' }, 'mchid'],
    [{ appCode: 'B' }, 'appCode'],
  ] as const) {
    const { holds } = await findHolds({ acquirers: [wallet(more)] }, kept, stage.journal);
    assert.deepEqual(namesOf({ holds, keeps: new Map() }), [['QR', changed]]);
    assert.ok(!JSON.stringify(holds).includes('secret'));
  }
  for (const more of [{ clientKey: 'another' }, { url: 'https://wallet.example' }])
    assert.deepEqual((await findHolds({ acquirers: [wallet(more)] }, kept, stage.journal)).holds, []);
});

describe('Octopus and cash', () => {
  const withCash = { acquirers: [] as Configuration['acquirers'], cash: true } as const;

  async function cashSale() {
    stage.close();
    stage = new Stage(undefined, everything);
    const { answer } = await begun(stage, 'CASH');
    stage.act({ kind: 'tender', amount: '50' });
    await answer;
  }

  test('are held if they are removed while something of them is unsettled, and the text says what to do', async () => {
    await cashSale();
    const { holds } = await findHolds({ acquirers: [] }, inUse(), stage.journal);
    assert.deepEqual(namesOf({ holds, keeps: new Map() }), [['CASH', '']]);
    const [hold = assert.fail('not held')] = holds;
    assert.equal(
      holdText(hold),
      'CASH is not configured any more, and what it took is not settled: configure it again, settle it, and complete or void its authorizations, then remove it',
    );
    assert.ok(new HeldAcquirers(holds).isFormer(hold.id));
  });

  test('are not held while they are configured, or once they are settled', async () => {
    await cashSale();
    assert.deepEqual((await findHolds(withCash, inUse(), stage.journal)).holds, []);
    await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 'S', acquirerId: acquirerId('CASH') });
    assert.deepEqual((await findHolds({ acquirers: [] }, inUse(), stage.journal)).holds, []);
  });
});
