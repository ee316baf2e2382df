import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client, type ClientOptions, type Outcome, pair } from '../../src/pos/client/client.ts';
import { type Conduct, LossyRelay } from './lossy-relay.ts';
import { Operator, password, poid } from './operator.ts';
import { eventually, type Json, Stage } from './stage.ts';

/** poid/client against a terminal, over a line that loses answers. The judge is the books of the host. */

const quick = { pauseMs: 100, askMs: 2_000, holdMs: 20_000, repeatMs: 3_000, giveUpMs: 15_000 };

interface Counter {
  readonly stage: Stage;
  readonly relay: LossyRelay;
  readonly client: (options?: Partial<ClientOptions>) => Client;
}

async function opened(configuration: Json): Promise<Counter> {
  const stage = await Stage.open({ configuration, hosts: ['EDC'] });
  const relay = await LossyRelay.open(() => Number(new URL(stage.apiUrl).port));
  return { stage, relay, client: (options = {}) => new Client({ url: relay.url, ...quick, ...options }) };
}

const sale = (stage: Stage): Json => stage.saleRequest({ preferredEntryMode: 'CARD' });

/** How often the host has posted what this request asked for, and has not taken it back. */
async function postings(stage: Stage, { posId, messageId }: Json): Promise<number> {
  const { body } = await stage.enquiry({ posId, messageId });
  const trace = body.transactionResult?.trace;
  return (await stage.ledger()).filter(({ stan, status }) => status === 'POSTED' && Number(stan) === trace).length;
}

function assertDone(outcome: Outcome, { messageId }: Json): void {
  assert.equal(outcome.is, 'done', JSON.stringify(outcome));
  assert.equal(outcome.answer?.messageId, messageId);
}

describe('a till without a key', () => {
  let counter: Counter;
  before(async () => (counter = await opened({})));
  after(async () => {
    counter.relay.close();
    await counter.stage.close();
  });

  const lines: readonly (readonly Conduct[])[] = [
    ['pass'],
    ['cutBefore'],
    ['cutBefore', 'cutBefore', 'cutBefore'],
    ['halfRequest'],
    ['cutBehind'],
    ['cutBehind', 'cutBehind', 'cutBefore'],
    ['answerLost'],
    ['answerLost', 'answerLost', 'answerLost'],
    ['halfAnswer'],
    ['halfAnswer', 'noHttp', 'cutBehind'],
    ['noHttp'],
    ['answerLost', 'refused'],
    ['cutBehind', 'refused', 'refused', 'cutBefore'],
    ['redirected'],
    ['anonymous'],
    ['otherTill', 'anonymous'],
    ['answerLost', 'anonymous', 'redirected', 'otherTill'],
  ];
  for (const conducts of lines) {
    test(`charges once, and hears of it, over: ${conducts.join(', ')}`, async () => {
      const { stage, relay, client } = counter;
      const request = sale(stage);
      const before = (await stage.posted()).length;
      relay.next(...conducts);
      const paying = client().pay(request);
      await stage.tap('visa');
      assertDone(await paying, request);
      assert.equal((await stage.posted()).length, before + 1);
      assert.deepEqual(relay.fared.slice(-conducts.length - 1).includes(conducts[0] ?? 'pass'), true);
    });
  }

  test('hears of a decline, and of nothing else, over a line that loses its answer', async () => {
    const { stage, relay, client } = counter;
    const before = (await stage.posted()).length;
    await stage.host('EDC', { decline: '51' });
    relay.next('answerLost', 'answerLost');
    const paying = client().pay(sale(stage));
    await stage.tap('visa');
    const outcome = await paying;
    await stage.host('EDC', { mode: 'up' });
    assert.equal(outcome.is, 'notDone');
    assert.equal(outcome.answer?.reason, 'insufficientFunds');
    assert.equal((await stage.posted()).length, before);
  });

  for (const [when, isTapped] of [
    ['before the card comes', false],
    ['after the host has posted', true],
  ] as const) {
    test(`a terminal that is killed ${when}: the till hears what the books say`, async () => {
      const { stage, relay, client } = counter;
      const request = sale(stage);
      const before = (await stage.posted()).length;
      relay.next('cutBehind');
      const paying = client().pay(request);
      if (isTapped) {
        await stage.tap('visa');
        await eventually(
          () => stage.posted(),
          (all) => all.length > before,
        );
      } else {
        await eventually(
          () => stage.bench(),
          ({ reader }) => reader.armed,
        );
      }
      await stage.stopDaemon('SIGKILL');
      await stage.startDaemon();
      const outcome = await paying;
      const charged = outcome.is === 'done' ? 1 : 0;
      await eventually(
        () => stage.posted(),
        (all) => all.length === before + charged,
      );
      const later = await client().outcome(request);
      assert.equal(later.is, charged === 1 ? 'done' : 'notDone', JSON.stringify(later));
    });
  }

  test('a terminal that is gone: the outcome is unknown, and known when it is back', async () => {
    const { stage, relay, client } = counter;
    const request = sale(stage);
    relay.next('answerLost', ...Array.from({ length: 400 }, () => 'cutBefore' as const));
    const paying = client({ repeatMs: 300, giveUpMs: 600 }).pay(request);
    await stage.tap('visa');
    const outcome = await paying;
    assert.equal(outcome.is, 'unknown');
    assert.ok(outcome.answer === undefined && outcome.trouble);
    relay.next();
    assertDone(await client().outcome(request), request);
    assert.equal(await postings(stage, request), 1);
  });

  test('what the journal is too young to know is unknown; a refusal is told at once; a till may stop waiting', async () => {
    const { stage, relay, client } = counter;
    relay.next();
    const never = await client().outcome({ posId: 'POS-1', messageId: 'NEVER' });
    // This journal is too young to know of every earlier payment.
    assert.deepEqual([never.is, never.answer?.reason], ['unknown', 'beforeJournal']);
    const refused = await client().pay({
      ...sale(stage),
      transactionType: 'VOID',
      originalTerminalTransactionId: 'NONE',
    });
    assert.deepEqual([refused.is, refused.answer?.financialImpact], ['notDone', 'NONE']);

    const request = sale(stage);
    const stop = new AbortController();
    const paying = client().pay(request, stop.signal);
    await eventually(
      () => stage.bench(),
      ({ reader }) => reader.armed,
    );
    stop.abort();
    assert.equal((await paying).is, 'unknown');
    assert.equal((await client().cancel(request)).responseResult, 'SUCCESS');
    assert.equal((await client().outcome(request)).is, 'notDone');
  });

  test('settles once over a line that loses answers, follows events, and reads receipts', async () => {
    const { stage, relay, client } = counter;
    const ends = new AbortController();
    const events = client().events({ posId: 'POS-1', signal: ends.signal });
    const seen: string[] = [];
    const request = sale(stage);
    relay.next();
    const paying = client().pay(request);
    const tapped = stage.tap('visa');
    for await (const { data } of events) {
      if (data['messageId'] === request.messageId) seen.push(data['state'] ?? '');
      if (seen.length === 2) relay.next();
      if (data['state'] === 'approved') break;
    }
    await tapped;
    ends.abort();
    assertDone(await paying, request);
    assert.ok(seen.includes('authorizing') && seen.includes('approved'), seen.join());
    const { posId, messageId } = request;
    const receipt = await client().receipt({ posId, messageId, copy: 'MERCHANT', output: 'TEXT' });
    assert.equal(receipt.responseResult, 'SUCCESS');
    relay.next('answerLost', 'halfAnswer');
    const { messageId: id } = stage.saleRequest();
    const settled = await client().settle({ posId: 'POS-1', messageId: id });
    assertDone(settled, { messageId: id });
    assert.equal((await client().call('GET', '/sp/v1/status'))['ready'], true);
  });
});

describe('a paired till', () => {
  let counter: Counter;
  before(async () => (counter = await opened({ pairing: { required: true } })));
  after(async () => {
    counter.relay.close();
    await counter.stage.close();
  });

  test('pairs by its digits, pays over a lossy line, and believes nothing that is not signed', async () => {
    const { stage, relay, client } = counter;
    const operator = new Operator(stage);
    assert.equal((await poid(stage, ['operator-password'], password)).code, 0);
    await operator.login();
    await operator.does({ kind: 'pair' });
    const typedCode = async () => {
      const { pairing } = await operator.sees((view) => view.pairing?.stage === 'compare');
      await operator.does({ kind: 'decide', yes: true, code: pairing.code });
      return pairing.code as string;
    };
    const key = await pair({ url: relay.url, posId: 'POS-1', typedCode });
    assert.equal((await client().pay(sale(stage))).answer?.reason, 'notPaired');

    for (const conducts of [['pass'], ['forged'], ['answerLost', 'forged'], ['halfAnswer', 'cutBefore']] as const) {
      const request = sale(stage);
      const before = (await stage.posted()).length;
      relay.next(...conducts);
      const paying = client({ key }).pay(request);
      await stage.tap('visa');
      assertDone(await paying, request);
      assert.equal((await stage.posted()).length, before + 1, conducts.join());
    }

    const request = sale(stage);
    relay.next(...Array.from({ length: 400 }, () => 'forged' as const));
    const unknown = await client({ key, repeatMs: 200, giveUpMs: 400 }).pay(request);
    assert.equal(unknown.is, 'unknown');
    assert.match(unknown.answer === undefined ? (unknown.trouble ?? '') : '', /has not signed: 200/);
    relay.next();
    assert.equal((await client({ key }).cancel(request)).responseResult, 'SUCCESS');
    const events = client({ key }).events();
    assert.equal((await events.next()).value?.data['state'], 'idle');
    await events.return(undefined);
    const wrong = pair({ url: relay.url, posId: 'POS-2', typedCode: async () => '000000' });
    await assert.rejects(wrong, /pairing is not open|not open/);
  });

  test('wrong digits are refused', async () => {
    const { stage, relay } = counter;
    const operator = new Operator(stage);
    await operator.login();
    await operator.does({ kind: 'pair' });
    let code = '';
    const typedCode = async () => {
      const { pairing } = await operator.sees((view) => view.pairing?.stage === 'compare');
      code = pairing.code;
      return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    };
    await assert.rejects(pair({ url: relay.url, posId: 'POS-2', typedCode }), /not the digits/);
    await operator.does({ kind: 'decide', yes: false, code });
  });
});
