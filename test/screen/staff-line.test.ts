import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settlementActors } from '../../src/base/domain/settlement-fault.ts';
import { menuNotices, type MenuView } from '../../src/payment/contracts/operator-menu.ts';
import { menuView } from './kept-menu.ts';
import { pageLanguages, pageModule, pageWords } from './page-module.ts';

interface Line {
  readonly to: string;
  readonly text: string;
}
const { staffLines } = await pageModule<{ staffLines: (view: MenuView, words: object) => Line[] }>('staff-line');
const english = await pageWords<object>('words-en');

const waiting = { ...menuView.waiting };
const linesOf = (more: Partial<MenuView>, words = english) => staffLines({ ...menuView, ...more }, words);

test('nothing is wrong and nothing waits: nothing is said', () => {
  assert.deepEqual(linesOf({}), []);
  assert.deepEqual(linesOf({ receipts: 0, unsettled: [] }), []);
});

test('no paper and what waits for it are one line, which leads to the receipts', () => {
  assert.deepEqual(linesOf({ notices: ['paperOut'], receipts: 2 }), [
    { to: 'receipts', text: 'No paper: 2 receipts wait' },
  ]);
  assert.deepEqual(linesOf({ notices: ['paperOut'], receipts: 1 }), [
    { to: 'receipts', text: 'No paper: 1 receipt waits' },
  ]);
  assert.deepEqual(linesOf({ notices: ['printerCoverOpen'] }), [{ to: 'receipts', text: 'The printer is open' }]);
  assert.deepEqual(linesOf({ receipts: 3 }), [{ to: 'receipts', text: '3 receipts wait' }]);
});

test('a bank that did not settle is named; what stops a customer comes first', () => {
  const lines = linesOf({
    notices: ['clockWrong', 'readerAbsent'],
    unsettled: [
      { acquirer: 'EDC', batch: 12, actor: 'network' },
      { acquirer: 'CUP', batch: 7, actor: 'bank' },
    ],
    unknownTo: ['CUP', 'QR'],
    plainLines: ['EPS'],
    undecidedLines: ['EDC', 'CUP'],
    waiting: { ...waiting, reversals: 1, advices: 2, unsendable: 1, rejected: 4 },
  });
  assert.deepEqual(lines, [
    { to: 'devices', text: 'Card reader not connected' },
    { to: 'bank', text: 'CUP and QR: the bank does not know this terminal' },
    { to: 'bank', text: 'Call the bank: 1' },
    { to: 'bank', text: 'EDC: batch 12 not settled, check the network' },
    { to: 'bank', text: 'CUP: batch 7 not settled, call the bank' },
    { to: 'bank', text: 'Rejected by the bank: 4' },
    { to: 'bank', text: 'Waiting for the bank: 3' },
    { to: 'bank', text: 'EDC and CUP: the line to the bank is not protected, and nobody has decided so' },
    { to: 'bank', text: 'EPS: the line to the bank is not protected' },
    { to: 'about', text: 'The clock is wrong' },
  ]);
});

test('who must act so that a batch is settled is named, in every language', async () => {
  for (const name of pageLanguages) {
    const words = await pageWords<object>(name);
    const texts = settlementActors.map((actor) => {
      const [line, ...others] = linesOf({ unsettled: [{ acquirer: 'EDC', batch: 12, actor }] }, words);
      assert.deepEqual(others, []);
      assert.match(line?.text ?? '', /^EDC[^{}]*12[^{}]*$/);
      return line?.text;
    });
    assert.equal(new Set(texts).size, settlementActors.length, name);
  }
});

test('each notice is told, in every language', async () => {
  for (const name of pageLanguages) {
    const words = await pageWords<object>(name);
    for (const notice of menuNotices) {
      const lines = linesOf({ notices: [notice] }, words);
      assert.equal(lines.length, 1, notice);
      assert.match(lines[0]?.text ?? '', /^[^{}]+$/);
    }
  }
});

test('what somebody must give back is counted, and leads to the list of it', () => {
  assert.deepEqual(linesOf({ customerMatters: 1 }), [{ to: 'bank', text: 'To be settled with the customer: 1' }]);
  assert.deepEqual(linesOf({ extraPayments: 2 }), [{ to: 'bank', text: 'Paid twice or late, to be given back: 2' }]);
});
