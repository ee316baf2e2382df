import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletFinding } from '../../../src/payment/contracts/wallet-host.ts';
import { answeredWith, approval, approved, bench, deadline, scannedOrder } from './terminal.ts';

const row = { ...approval, cancel: '0', order_type: 'payment' };
const answer = (...data: unknown[]) => ({ respcd: '0000', resperr: 'Request successful', data });
const declined: WalletFinding = { kind: 'declined', reason: 'insufficientBalance', responseCode: '1201' };

const refunded: WalletFinding = { kind: 'refunded', hostNumber: approval.syssn };

const { cancel: _cancel, ...withoutCancel } = row;
const { out_trade_no: _number, ...withoutNumber } = row;
const { syssn: _syssn, ...withoutHostNumber } = row;
const other = { ...row, out_trade_no: `${row.out_trade_no}4` };

for (const [what, body, finding] of [
  ['paid', answer(row), approved],
  ['paid, the flag a number', answer({ ...row, cancel: 0 }), approved],
  ['paid, a part of it given back', answer({ ...row, cancel: '5' }), approved],
  ['a refund', answer({ ...row, order_type: 'refund', origssn: '1' }), approved],
  ['reversed', answer({ ...row, cancel: '1' }), refunded],
  ['cancelled', answer({ ...row, cancel: '2' }), refunded],
  ['given back', answer({ ...row, cancel: '3' }), refunded],
  ['given back, the flag a number', answer({ ...row, cancel: 3 }), refunded],
  ['given back, without a number', answer({ ...withoutHostNumber, cancel: '3' }), { kind: 'refunded' }],
  ['a completed authorization', answer({ ...row, cancel: '4' }), { kind: 'unknown' }],
  ['paid, with a flag of no meaning', answer({ ...row, cancel: '6' }), { kind: 'unknown' }],
  ['paid, without the flag', answer(withoutCancel), { kind: 'unknown' }],
  ['the password is keyed', answer({ ...row, respcd: '1143' }), { kind: 'waiting' }],
  ['processing', answer({ ...row, respcd: '1145' }), { kind: 'waiting' }],
  ['reversed while waiting', answer({ ...row, respcd: '1143', cancel: '1' }), { kind: 'closed' }],
  ['cancelled while waiting', answer({ ...row, respcd: '1143', cancel: '2' }), { kind: 'closed' }],
  ['closed', answer({ ...row, respcd: '1142' }), { kind: 'closed' }],
  ['expired', answer({ ...row, respcd: '1181' }), { kind: 'closed' }],
  ['declined', answer({ ...row, respcd: '1201' }), declined],
  ['a code of no list', answer({ ...row, respcd: '1299' }), { kind: 'unknown' }],
  ['the host does not know', answer({ ...row, respcd: '1298' }), { kind: 'unknown' }],
  ['a duplicate', answer({ ...row, respcd: '1102' }), { kind: 'unknown' }],
  ['no such order, as a row', answer({ ...row, respcd: '1136' }), { kind: 'unknown' }],
  ['no code', answer({ ...row, respcd: '' }), { kind: 'unknown' }],
  ['paid, without its own number', answer(withoutHostNumber), { kind: 'unknown' }],
  ['nothing', answer(), { kind: 'notFound' }],
  ['no such order', { respcd: '1268' }, { kind: 'notFound' }],
  ['no such order, or not operational', { respcd: '1136', data: [] }, { kind: 'notFound' }],
  ['among others', answer(other, row), approved],
  ['only another', answer(other), { kind: 'unknown' }],
  ['only a part of its number', answer({ ...row, out_trade_no: '01JGFJJZ00' }), { kind: 'unknown' }],
  ['a row without its number', answer(withoutNumber), { kind: 'unknown' }],
  ['twice', answer(row, { ...row, respcd: '1142' }), { kind: 'unknown' }],
  ['rows that are none', answer(null, 1, 'x', []), { kind: 'unknown' }],
  ['no data', { respcd: '0000' }, { kind: 'unknown' }],
  ['data that are no list', { respcd: '0000', data: row }, { kind: 'unknown' }],
  ['data that are null', { respcd: '0000', data: null }, { kind: 'unknown' }],
  ['a signature that was wrong', { respcd: '1108', data: [] }, { kind: 'unknown' }],
  ['maintenance', { respcd: '1100' }, { kind: 'unknown' }],
  ['a list', [row], { kind: 'unknown' }],
  ['no JSON', '<html>', { kind: 'unknown' }],
] as const) {
  test(`an enquiry finds: ${what}`, deadline, async (t) => {
    const parts = await bench(t);
    const found = parts.acquirer.enquire(scannedOrder);
    // What the host does not show is looked for again, in the month in which it was sent.
    if (finding.kind === 'notFound') await answeredWith(parts, Promise.resolve(), body);
    assert.deepEqual(await answeredWith(parts, found, body), finding);
  });
}
