import assert from 'node:assert/strict';
import { wallets } from '../../support/wallets.ts';
import { test } from 'node:test';
import { cancelFlags, meaningOf, respcds } from '../../../src/hosts/qfpay/respcd.ts';
import type { WalletClosing } from '../../../src/payment/contracts/wallet-host.ts';
import {
  answeredWith,
  approval,
  approved,
  bench,
  deadline,
  fixture,
  queryLagMs,
  refundOrder,
  scannedOrder,
} from './terminal.ts';

const garbled = { kind: 'unknown', reason: 'garbled-answer' };
const unknownAtHost = { kind: 'unknown', reason: 'unknown-at-host' } as const;

test('the tables are those of the fixture', () => {
  const { respcd, cancel, payTypes } = fixture;
  const codes = (...names: string[]) => names.flatMap((name) => respcd[name] ?? assert.fail(name)).toSorted();
  const ours = Object.fromEntries(Object.entries(respcds).map(([name, each]) => [name, each.toSorted()]));
  assert.deepEqual(ours, {
    paid: codes('paid'),
    waiting: codes('waiting'),
    duplicate: codes('duplicate', 'confirmFirst'),
    confirmFirst: codes('confirmOrder'),
    ended: codes('ended'),
    excess: codes('refundedAlready', 'refundExceeds'),
    refused: codes('request', 'notCancelled', 'forbidden', 'insufficientFunds', 'codeWrongOrExpired', 'refundRefused'),
    notCommissioned: codes('signature', 'device', 'merchant'),
    unknown: codes('unknown', 'hostTrouble'),
    closed: codes('closed'),
    expired: codes('expired'),
    noSuchOrder: codes('noSuchOrder'),
    notOperational: codes('notOperational'),
  });
  const { notCancelled, partlyRefunded, reversedOrRefunded, cancelled, refunded } = cancel;
  assert.deepEqual([cancelFlags.stands], [[notCancelled, partlyRefunded].flat()]);
  assert.deepEqual([cancelFlags.givenBack], [[reversedOrRefunded, cancelled, refunded].flat()]);
  for (const way of ['presented', 'scanned'] as const) {
    const own = wallets.flatMap(({ scheme, ...wallet }) => (wallet[way] ? [[scheme, wallet[way].payType]] : []));
    assert.deepEqual(Object.fromEntries(own), payTypes[way]);
  }
});

test('a code is four digits', () => {
  for (const code of ['', '0', '000', '00000', '00 0', 'OOOO', '0000\n', 0, null, undefined, ['0000']]) {
    assert.equal(meaningOf(code), undefined, JSON.stringify(code));
  }
});

/** What every code comes to: I5 hangs on this table, so it is written out. */
const expected = (code: string) => {
  if (code === '0000') return approved;
  if (['1143', '1145'].includes(code)) return { kind: 'waiting', responseCode: code };
  // The order's own end, and every published no; whatever else comes proves nothing.
  const no =
    '1142 1181 1103 1104 1105 1106 1107 1108 1150 1155 1201 1202 1203 1205 1212 1241 1242 1243 1250 1251 1265 1270 1271 1294 2005';
  const ofTerminal = '1105 1106 1107 1108 1203 1241 1242 1243 1251'.split(' ').includes(code);
  const reason = ofTerminal ? 'terminalUnknown' : code === '1201' ? 'insufficientBalance' : 'declined';
  return no.split(' ').includes(code)
    ? { kind: 'declined', reason, responseCode: code }
    : { ...unknownAtHost, responseCode: code };
};

test('every code, in an answer to a payment and to a refund', deadline, async (t) => {
  const parts = await bench(t);
  for (const code of [...Object.values(fixture.respcd).flat(), '1100', '1147', '1204', '1297', '9999']) {
    const answer = { ...approval, respcd: code };
    assert.deepEqual(await answeredWith(parts, parts.acquirer.pay(scannedOrder), answer), expected(code), code);
    assert.deepEqual(await answeredWith(parts, parts.acquirer.refund(refundOrder), answer), expected(code), code);
  }
});

test('published examples: an amount that is a number, a refund without order and currency', deadline, async (t) => {
  const parts = await bench(t);
  const number = { ...approval, txamt: 3000 };
  assert.deepEqual(await answeredWith(parts, parts.acquirer.pay(scannedOrder), number), approved);
  const { out_trade_no: _number, txcurrcd: _currency, ...published } = approval;
  const refund = { ...published, orig_syssn: refundOrder.originalNumber };
  assert.deepEqual(await answeredWith(parts, parts.acquirer.refund(refundOrder), refund), approved);
});

test('a decline need not say of what', deadline, async (t) => {
  const parts = await bench(t);
  for (const answer of [{ respcd: '1108' }, { respcd: '1108', out_trade_no: '', txamt: null, txcurrcd: '' }]) {
    const outcome = await answeredWith(parts, parts.acquirer.pay(scannedOrder), answer);
    assert.deepEqual(outcome, { kind: 'declined', reason: 'terminalUnknown', responseCode: '1108' });
  }
});

test('times and the number of the wallet may be missing', deadline, async (t) => {
  const parts = await bench(t);
  const { chnlsn: _wallet, sysdtm: _time, ...bare } = approval;
  for (const answer of [bare, { ...bare, chnlsn: '', sysdtm: '' }, { ...bare, chnlsn: 'x\ny' }]) {
    assert.deepEqual(await answeredWith(parts, parts.acquirer.pay(scannedOrder), answer), {
      ...approved,
      walletNumber: '',
      hostTime: '',
      hostDate: '',
    });
  }
});

for (const [what, wrong] of [
  ['another order', { out_trade_no: `${approval.out_trade_no}4` }],
  ['another amount', { txamt: '3001' }],
  ['another amount, a number', { txamt: 30 }],
  ['an amount in major units', { txamt: '30.00' }],
  ['an amount with a zero before', { txamt: '03000' }],
  ['another currency', { txcurrcd: 'CNY' }],
  ['an order that is no text', { out_trade_no: [approval.out_trade_no] }],
  ['a code that is none', { respcd: 0 }],
  ['a code with a space', { respcd: '0000 ' }],
] as const) {
  test(`an answer with ${what} is garbled, whatever it says`, deadline, async (t) => {
    const parts = await bench(t);
    const codes = 'respcd' in wrong ? [wrong.respcd] : ['0000', '1143', '1201', '1295'];
    for (const respcd of codes) {
      const answer = { ...approval, ...wrong, respcd };
      assert.deepEqual(await answeredWith(parts, parts.acquirer.pay(scannedOrder), answer), garbled);
      assert.deepEqual(await answeredWith(parts, parts.acquirer.refund(refundOrder), answer), garbled);
      assert.deepEqual(await answeredWith(parts, parts.acquirer.close(scannedOrder), answer), { kind: 'unanswered' });
      const row = { respcd: '0000', data: [{ ...answer, cancel: '0' }] };
      assert.deepEqual(await answeredWith(parts, parts.acquirer.enquire(scannedOrder), row), { kind: 'unknown' });
    }
  });
}

for (const name of ['out_trade_no', 'txamt', 'txcurrcd', 'syssn', 'respcd'] as const) {
  test(`an approval without ${name} is none`, deadline, async (t) => {
    const parts = await bench(t);
    for (const value of [undefined, '', null]) {
      const answer = { ...approval, [name]: value };
      assert.deepEqual(await answeredWith(parts, parts.acquirer.pay(scannedOrder), answer), garbled);
    }
  });
}

for (const [what, wrong] of [
  ['a host number that could be two', { syssn: '1,2' }],
  ['a host number that is a number', { syssn: 20260115000300 }],
  ['a host number without end', { syssn: '1'.repeat(129) }],
  ['a time of another form', { sysdtm: '2026-01-15T10:15:31Z' }],
] as const) {
  test(`an approval with ${what} is none`, deadline, async (t) => {
    const parts = await bench(t);
    assert.deepEqual(await answeredWith(parts, parts.acquirer.pay(scannedOrder), { ...approval, ...wrong }), garbled);
  });
}

test('a refund of another payment is none', deadline, async (t) => {
  const parts = await bench(t);
  for (const respcd of ['0000', '1201']) {
    const answer = { ...approval, respcd, orig_syssn: '20260115000200020088888889' };
    assert.deepEqual(await answeredWith(parts, parts.acquirer.refund(refundOrder), answer), garbled);
  }
});

/** What every code comes to where an order is to be ended: whether a customer gets his money back hangs on this table. */
const closing = (code: string): WalletClosing => {
  if (['0000', '1142', '1263', '1264'].includes(code)) return { kind: 'closed' };
  if (code === '1268') return { kind: 'noSuchOrder', responseCode: code };
  if (code === '1136') return { kind: 'notOperational', responseCode: code };
  // The reversal is in progress, and may be carried out at any time.
  if (['1143', '1145'].includes(code)) return { kind: 'unanswered' };
  if (['1295', '1296', '1298', '1252', '1254'].includes(code)) return { kind: 'unanswered', request: 'arrived' };
  return { kind: 'refused', responseCode: code };
};

test('every code, in an answer to a reversal and to a close', deadline, async (t) => {
  const parts = await bench(t);
  parts.clock.pass(queryLagMs);
  for (const code of fixture.codes.all.split(' ')) {
    const answer = { respcd: code, txamt: '3000', txcurrcd: 'HKD', orig_syssn: '20260115000200020088888888' };
    assert.deepEqual(await answeredWith(parts, parts.acquirer.close(scannedOrder), answer), closing(code), code);
    assert.deepEqual(await answeredWith(parts, parts.acquirer.reverseRefund(refundOrder), answer), closing(code), code);
  }
});
