import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scrub } from '../../../src/base/domain/masking.ts';
import { paymentRequest } from '../../../src/admin/shell/payment-request.ts';
import { Till, type TillFlags } from '../../../src/admin/shell/till.ts';
import { UsageError } from '../../../src/base/usage-error.ts';

function request(flags: TillFlags, amount: string | undefined, type = 'SALE') {
  return paymentRequest(new Till({ pos: 'POS-1', ...flags }), flags, amount, type);
}

describe('the request of a command', () => {
  test('has what was asked for, and no other field', () => {
    const { messageId, ...sale } = request({}, '30');
    assert.match(messageId, /^\d{8}T\d{6}Z-[0-9a-f]{6}$/);
    assert.deepEqual(sale, { posId: 'POS-1', transactionType: 'SALE', requestAmount: 30, currency: 'HKD' });
    assert.deepEqual(request({ id: 'V', of: 'T', cashier: 'Ann' }, undefined, 'VOID'), {
      posId: 'POS-1',
      messageId: 'V',
      transactionType: 'VOID',
      originalTerminalTransactionId: 'T',
      cashierId: 'Ann',
    });
    const full = request(
      { id: 'M', tip: '2.50', currency: 'usd', method: 'visa', acquirer: 'edc', collect: '30' },
      '12.50',
    );
    assert.deepEqual(
      [
        full['tipAmount'],
        full['currency'],
        full['preferredInstrument'],
        full['forceAcquirer'],
        full['collectTimeoutSeconds'],
      ],
      [2.5, 'USD', 'VISA', 'EDC', 30],
    );
  });

  test('has an identity that a terminal accepts, or is not sent', () => {
    for (const flags of [{ id: '' }, { id: 'M'.repeat(65) }, { id: 'M\n1' }, { pos: '' }, { pos: 'P'.repeat(65) }]) {
      assert.throws(() => request(flags, '30'), UsageError, JSON.stringify(flags));
    }
    assert.equal(request({ id: 'M'.repeat(64) }, '30').messageId.length, 64);
  });

  test('its identity is no card number to the log: a line of it is found again', () => {
    for (let count = 0; count < 1_000; count++) {
      const { messageId } = request({}, '1');
      assert.equal(scrub(messageId), messageId);
    }
  });

  test('two identities are never the same', () => {
    assert.equal(new Set(Array.from({ length: 100 }, () => request({}, '1').messageId)).size, 100);
  });

  for (const [written, currency, sent] of [
    ['30.10', 'HKD', '30.1'],
    ['0.07', 'HKD', '0.07'],
    ['4.60', 'EUR', '4.6'],
    ['9999999999.99', 'HKD', '9999999999.99'],
    ['999999999999', 'JPY', '999999999999'],
    ['0.005', 'KWD', '0.005'],
  ] as const) {
    test(`${written} ${currency} is exact on the wire`, () => {
      assert.match(JSON.stringify(request({ currency }, written)), new RegExp(`"requestAmount":${sent}[,}]`));
    });
  }

  for (const [amount, flags, sentence] of [
    ['30.001', {}, /^30\.001 HKD can’t be paid: HKD has 2 decimals$/],
    ['30.5', { currency: 'JPY' }, /^30\.5 JPY can’t be paid: JPY has 0 decimals$/],
    ['99999999999.99', {}, /is more than a message can say$/],
    ['-1', {}, /is no amount/],
    ['1e3', {}, /^1e3 HKD is no amount/],
    ['1,000', {}, /is no amount/],
    ['0x10', {}, /is no amount/],
    ['30', { currency: 'HDK' }, /'HDK' is no currency of ISO 4217/],
    ['30', { tip: '0.005' }, /^0\.005 HKD can’t be paid/],
    ['30', { card: 'discover' }, /^--card takes visa/],
    ['30', { collect: 'soon' }, /^--collect takes whole seconds/],
  ] as const) {
    test(`${amount} ${JSON.stringify(flags)} is refused by name`, () => {
      assert.throws(
        () => request(flags, amount),
        (error) => error instanceof UsageError && sentence.test(error.message),
      );
    });
  }

  test('a card of the simulator decides nothing, but Octopus and EPS, which have readers and rules of their own', () => {
    const started = (flags: TillFlags) => request(flags, '1')['preferredInstrument'];
    assert.deepEqual(
      [started({ card: 'mastercard' }), started({ card: 'mastercard', sim: true })],
      ['MASTER', undefined],
    );
    assert.deepEqual(
      [started({ card: 'octopus-low', sim: true }), started({ card: 'eps', sim: true })],
      ['OCTOPUS', 'EPS'],
    );
    assert.throws(() => request({ card: 'visa', of: 'T' }, '1', 'TIP_ADJUST'), /no card is presented for TIP_ADJUST/);
  });

  for (const terminal of ['localhost', 'ftp://x', 'http://x/sp/v1', '']) {
    test(`'${terminal}' is no terminal's address`, () => {
      assert.throws(() => new Till({ terminal }), /--terminal takes an address/);
    });
  }
});
