import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clientFaultAnswer } from '../../../src/pos/api/client-fault.ts';
import { reportedReason, whyOf } from '../../../src/pos/api/pos-response.ts';
import { type Reason, reasons } from '../../../src/base/domain/reason.ts';
import { id } from './records.ts';
import { served } from './served.ts';

const all = Object.keys(reasons) as Reason[];

describe('what the POS does next', () => {
  for (const impact of ['UNKNOWN', 'REVERSAL_PENDING'] as const) {
    test(`${impact}: whatever the reason, nothing is charged again before an enquiry`, () => {
      for (const reason of all)
        assert.match(reportedReason(reason, impact).retryable, /^(ENQUIRE|CALL_OPERATOR)$/, reason);
    });
    test(`${impact}: whatever the reason, no text asks for another payment`, () => {
      for (const reason of all)
        assert.doesNotMatch(
          reportedReason(reason, impact).text.en,
          /Take the payment|Pay by|Try again|another card/,
          reason,
        );
    });
  }

  test('once no money is open it is what the reason says', () => {
    for (const impact of ['NONE', 'REVERSED'] as const) {
      for (const reason of all) assert.equal(reportedReason(reason, impact).retryable, reasons[reason].retryable);
    }
  });

  test('a reason of a newer version is reported as unspecified', () => {
    assert.equal(reportedReason('fromTomorrow' as Reason).reason, 'unspecified');
  });
});

describe('the words for the cashier', () => {
  test('a void that was not carried out is no payment that is reversed', () => {
    const closed = whyOf('VOID_SALE', 'noAnswer', 'REVERSED', true);
    assert.equal(closed.text.en, 'The void was not carried out: the earlier transaction stands.');
    const open = whyOf('REFUND', 'noAnswer', 'REVERSAL_PENDING');
    assert.match(open.text.en, /^It is not certain yet whether the refund was carried out/);
    assert.equal(open.retryable, 'ENQUIRE');
  });

  test('the earlier transaction stands only if that is known', () => {
    const textOf = (reason: Reason, stands?: boolean) => whyOf('VOID_SALE', reason, 'NONE', stands).text.en;
    const end = 'The void was not carried out';
    assert.equal(textOf('declined'), `${end}.`);
    assert.equal(textOf('declined', false), `${end}. The earlier transaction does not stand any more.`);
    assert.equal(textOf('originalVoided', true), `${end}. The earlier transaction was voided already.`);
    assert.equal(textOf('originalSettled', true), `${end}: the earlier transaction stands.`);
  });

  test('a payment has the words of its reason, and so has what the bank confirmed', () => {
    assert.deepEqual(whyOf('SALE', 'insufficientFunds', 'NONE').text, reasons.insufficientFunds.text);
    assert.deepEqual(whyOf('VOID_SALE', 'confirmedPosted', 'UNKNOWN').text, reasons.confirmedPosted.text);
  });
});

test('a receipt of a time before the journal is not said to have cost nothing', async (t) => {
  const { terminal, call } = await served(t);
  terminal.enquiryAnswer = { kind: 'notFound', since: '2026-11-21T09:30:00.000Z' };
  for (const asked of [{ posId: 'POS-1', messageId: 'M-1' }, { terminalTransactionId: id }]) {
    const { status, json } = await call({ path: '/sp/v1/receipt', body: JSON.stringify(asked) });
    assert.deepEqual([status, json.reason, json.financialImpact], [404, 'beforeJournal', 'UNKNOWN']);
  }
});

test('a body that its sender cut short is reported as that', () => {
  assert.match(clientFaultAnswer('HPE_INVALID_EOF_STATE'), /^HTTP\/1\.1 400 .*"reason":"bodyIncomplete"/s);
});
