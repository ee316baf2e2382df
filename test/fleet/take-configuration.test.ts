import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { ProgressWatch } from '../../src/payment/terminal/exclusive-window.ts';
import { takeConfiguration } from '../../src/fleet/adoption/take-configuration.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { UnsettledSearch } from '../../src/payment/records/first-unsettled.ts';
import { settled } from '../support/manual-clock.ts';
import { about, ended, sale, Stage } from '../payment/terminal/stage.ts';
import { postsAndIsSilent } from '../payment/terminal/scripted-host.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const edc = { id: 'EDC', protocol: 'iso8583', tid: '00000001', currencies: ['HKD'] };
const cup = { id: 'CUP', protocol: 'iso8583', tid: '00000002', currencies: ['HKD'] };
const configured = (...acquirers: object[]) => ({ acquirers, wallets: {} }) as unknown as Configuration;
const present = configured(edc, cup);
const progress = new ProgressWatch();

function take(next: Configuration, adopt: () => Promise<void> = async () => undefined) {
  const { journal, terminal } = stage;
  const parts = { journal, terminal, progress, search: new UnsettledSearch(journal), inUse: { of: () => undefined } };
  return takeConfiguration({ present, next, adopt, signal: new AbortController().signal }, parts);
}
const changed = configured({ ...edc, tid: '00000099' }, cup);
const settle = () => stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 'S' });

test('it is adopted where nothing is unsettled at an acquirer that it changes', async () => {
  assert.equal(await take(changed), undefined);
});

test('an open batch, a queued reversal and a held authorization are each an obstacle, and tell what ends it', async () => {
  await stage.paid();
  assert.deepEqual(await take(changed), {
    reason: 'it changes acquirers or wallets, and there is unsettled money',
    until: 'ended',
  });
  assert.equal(await take(configured(edc, { ...cup, tid: '00000099' })), undefined);
});

test('a reversal is an obstacle to any configuration', async () => {
  stage.edc.onRequest = () => postsAndIsSilent;
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  await stage.paid();
  assert.deepEqual(await take(present), { reason: 'a reversal waits for its host', until: 'ended' });
});

test('an authorization that is settled and not completed is one too, until it is voided', async () => {
  const held = ended(await stage.paid(sale('A-1', { type: 'AUTH' }), 'unionpay'));
  await settle();
  const moved = configured(edc, { ...cup, tid: '00000099' });
  assert.equal((await take(moved))?.until, 'idle');
  await stage.terminal.pay(about('VOID', 'V-1', held));
  await settle();
  assert.equal(await take(moved), undefined);
});

test('a payment that comes while it is adopted waits, and is turned away: nothing of it is written or sent', async () => {
  const answers: unknown[] = [];
  let calls = 0;
  const obstacle = await take(changed, async () => {
    void stage.paid(sale('M-1')).then((answer) => answers.push(answer));
    void stage.terminal.pay(sale('M-2')).then((answer) => answers.push(answer));
    await settled();
    calls = answers.length;
  });
  assert.equal(obstacle, undefined);
  await settled();
  assert.equal(calls, 1, 'the second is told that the terminal is busy');
  assert.deepEqual(answers.at(-1), {
    kind: 'notReady',
    reason: 'terminalStopping',
    message: 'the terminal is stopping',
  });
  assert.deepEqual([stage.edc.requests.length, stage.posted], [0, 0]);
  assert.deepEqual(await stage.journal.findIdentity('POS-1', 'M-1'), {});
  assert.equal((await stage.terminal.pay(sale('M-3'))).kind, 'notReady');
});

test('a sale that begins and ends during the long look is seen by the last one', async () => {
  const listSlice = stage.journal.listSlice.bind(stage.journal);
  stage.journal.listSlice = async (...query) => {
    stage.journal.listSlice = listSlice;
    await stage.paid();
    return listSlice(...query);
  };
  let isAdopted = false;
  const obstacle = await take(changed, async () => void (isAdopted = true));
  assert.deepEqual([obstacle?.until, isAdopted], ['ended', false]);
  assert.equal(await stage.journal.openBatch(acquirerId('EDC')), await stage.journal.openBatch(acquirerId('EDC')));
  // Payments go on.
  assert.equal((await stage.paid(sale('M-2'))).kind, 'ended');
});

test('while a payment runs it waits for the end', async () => {
  const answer = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed', 1);
  assert.deepEqual(await take(changed), { reason: 'the terminal is collecting', until: 'idle' });
  stage.reader.present('visa');
  await answer;
});
