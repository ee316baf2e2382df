import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declineReason } from '../../../src/hosts/iso8583/dialect.ts';
import { type AcquirerId, acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { TransactionKind } from '../../../src/base/domain/transaction-kind.ts';
import { type CardBrand, cardBrands } from '../../../src/base/domain/payment-scheme.ts';
import { responseCode } from '../../../src/base/domain/reason.ts';
import { selectAcquirer } from '../../../src/payment/method/methods.ts';
import type { AcquirerProfile } from '../../../src/payment/transaction/acquirer-profile.ts';
import { collectConclusion, conclusionOf } from '../../../src/payment/transaction/decide.ts';
import { faultEnd } from '../../../src/payment/transaction/machine/setup.ts';
import { failure } from '../../../src/payment/events/conclusion.ts';
import { outcomes } from '../records/records.ts';
import { noteReason } from '../../support/reported-reasons.ts';

const EDC: AcquirerProfile = { id: acquirerId('EDC'), brands: ['VISA', 'MASTER', 'AMEX', 'JCB'] };
const CUP: AcquirerProfile = { id: acquirerId('CUP'), brands: ['UNIONPAY', 'VISA'] };

interface Routing {
  readonly brand: CardBrand;
  readonly kind: TransactionKind;
  readonly bin: string | undefined;
  readonly forced: AcquirerId | undefined;
}

function routed({ brand, kind, bin, forced }: Routing, profiles: readonly AcquirerProfile[]): AcquirerId | undefined {
  const takers = profiles.filter(({ id }) => forced === undefined || id === forced);
  return selectAcquirer({ kind, takers }, brand, bin)?.id;
}

function to(brand: CardBrand, forced: AcquirerId | undefined, profiles: readonly AcquirerProfile[]) {
  return routed({ brand, kind: 'SALE', bin: '476173', forced }, profiles);
}

test('the first acquirer that takes the brand', () => {
  assert.equal(to('VISA', undefined, [EDC, CUP]), 'EDC');
  assert.equal(to('VISA', undefined, [CUP, EDC]), 'CUP');
  assert.equal(to('UNIONPAY', undefined, [EDC, CUP]), 'CUP');
  assert.equal(to('UNIONPAY', undefined, [EDC]), undefined);
  for (const brand of cardBrands) assert.equal(to(brand, undefined, []), undefined);
});

test('a forced acquirer takes it or nobody does', () => {
  assert.equal(to('VISA', acquirerId('CUP'), [EDC, CUP]), 'CUP');
  assert.equal(to('MASTER', acquirerId('CUP'), [EDC, CUP]), undefined);
  assert.equal(to('VISA', acquirerId('EPS'), [EDC, CUP]), undefined);
});

test('a number that no prefix takes goes to the next, or nowhere; one that is not shown neither', () => {
  const dual: AcquirerProfile = { ...CUP, brands: ['UNIONPAY', 'VISA'], bins: ['62', '4761'] };
  const at = (bin: string | undefined, forced?: AcquirerId) =>
    routed({ brand: 'VISA', kind: 'SALE', bin, forced }, [dual, EDC]);
  assert.equal(at('476173'), 'CUP');
  assert.equal(at('476200'), 'EDC');
  assert.equal(at('147617'), 'EDC', 'a prefix is at the beginning');
  assert.equal(at('476'), 'EDC', 'half a prefix is none');
  assert.equal(at(undefined), 'EDC');
  assert.equal(at('476200', dual.id), undefined);
  assert.equal(at('476173', EDC.id), 'EDC');
  assert.equal(
    routed({ brand: 'VISA', kind: 'SALE', bin: '476173', forced: undefined }, [{ ...EDC, bins: [] }]),
    undefined,
  );
});

test('a kind that the profile does not offer, or that no card of this method knows, goes nowhere', () => {
  const salesOnly: AcquirerProfile = { ...EDC, kinds: ['SALE', 'AUTH_COMP'] };
  const at = (kind: TransactionKind, brand: CardBrand, profiles: readonly AcquirerProfile[]) =>
    routed({ brand, kind, bin: undefined, forced: undefined }, profiles);
  assert.equal(at('REFUND', 'VISA', [salesOnly]), undefined);
  assert.equal(at('REFUND', 'VISA', [salesOnly, CUP]), 'CUP');
  assert.equal(at('SALE', 'VISA', [salesOnly, CUP]), 'EDC');
  assert.equal(at('AUTH_COMP', 'VISA', [salesOnly]), undefined, 'a profile takes away and never adds');
  assert.equal(at('AUTH_COMP', 'UNIONPAY', [EDC, CUP]), 'CUP');
  assert.equal(at('OFFLINE_SALE', 'UNIONPAY', [EDC, CUP]), undefined);
});

test('what was approved here is as good as what the host approved', () => {
  assert.deepEqual(conclusionOf(outcomes.offline), conclusionOf(outcomes.approved));
});

test('SUCCESS for an approval, and for nothing else', () => {
  assert.deepEqual(conclusionOf(outcomes.approved), { outcome: 'approved', result: 'SUCCESS', code: 0, message: '' });
  for (const kind of ['declined', 'unknown', 'notSent'] as const) {
    const conclusion = conclusionOf(outcomes[kind]);
    assert.notEqual(conclusion.result, 'SUCCESS');
    assert.notEqual(conclusion.outcome, 'approved');
    assert.notEqual(conclusion.code, 0);
    assert.notEqual(conclusion.message, '');
  }
});

test('every field 39 that two characters can make is a decline or a trouble, never a success', () => {
  const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ ';
  const troubles: string[] = [];
  for (const high of characters) {
    for (const low of characters) {
      const code = high + low;
      const conclusion = conclusionOf({ kind: 'declined', reason: declineReason(code), responseCode: code, rrn: '' });
      if (conclusion.outcome === 'error') {
        troubles.push(code);
        assert.equal(conclusion.result, 'ERROR');
        assert.equal(conclusion.code, 2);
      } else {
        assert.equal(conclusion.outcome, 'declined');
        assert.equal(conclusion.result, 'DECLINED');
        assert.equal(conclusion.code, /^\d\d$/.test(code) ? 1000 + Number(code) : 1);
      }
      assert.ok(conclusion.message.includes(code));
    }
  }
  assert.deepEqual(troubles, ['09', '30', '68', '91', '94', '96']);
});

test('the words of a decline', () => {
  const words = (responseCode: string) =>
    conclusionOf({ kind: 'declined', reason: declineReason(responseCode), responseCode, rrn: '' }).message;
  assert.match(words('51'), /insufficient funds/);
  assert.match(words('54'), /expired/);
  assert.match(words('99'), /declined by the issuer/);
});

test('the ends of collecting', () => {
  assert.equal(collectConclusion({ kind: 'timeout' }).result, 'TIMEOUT');
  assert.equal(collectConclusion({ kind: 'cancelled', by: 'pos' }).result, 'TRANSACTION_ALREADY_CANCEL');
  assert.match(collectConclusion({ kind: 'cancelled', by: 'pos' }).message, /by the POS/);
  assert.match(collectConclusion({ kind: 'cancelled', by: 'merchant' }).message, /by the merchant/);
  const restart = collectConclusion({ kind: 'cancelled', by: 'restart' });
  assert.match(restart.message, /^the terminal is being restarted/);
  assert.doesNotMatch(restart.message, /merchant|customer|POS/);
  assert.deepEqual([restart.result, restart.reason], ['TRANSACTION_ALREADY_CANCEL', 'terminalRestarting']);
  assert.equal(collectConclusion({ kind: 'device', device: 'card reader', code: 'vanished' }).result, 'ERROR');
  const refused = collectConclusion({ kind: 'refused', reason: 'expiredCard', why: 'expired' });
  assert.equal(refused.outcome, 'declined');
  assert.equal(refused.code, responseCode('DECLINED'));
});

test('a decline is told by the reason of its host', () => {
  const reasons = new Set(Array.from({ length: 100 }, (_, code) => declineReason(String(code).padStart(2, '0'))));
  assert.ok(reasons.size > 15);
  for (const reason of reasons) {
    const reported = conclusionOf({ kind: 'declined', reason, responseCode: '05', rrn: '' });
    noteReason(reported.reason);
    assert.equal(reported.reason, reason);
  }
});

test('an outcome that is not known, or was not sent, has the reason of its word; another word is told as it is', () => {
  for (const [kind, word, reason] of [
    ['unknown', 'no-answer', 'noAnswer'],
    ['unknown', 'link-closed', 'linkClosed'],
    ['unknown', 'garbled-answer', 'garbledAnswer'],
    ['unknown', 'duplicate', 'duplicate'],
    ['unknown', 'interrupted', 'interrupted'],
    ['unknown', 'unknown-at-host', 'undecidedAtHost'],
    ['unknown', 'not-closed', 'codeNotClosed'],
    ['unknown', 'a word of another version', 'unspecified'],
    ['notSent', 'host-down', 'hostDown'],
    ['notSent', 'reversals-pending', 'reversalsPending'],
    ['notSent', 'unsendable', 'unsendable'],
    ['notSent', 'closed', 'walletClosed'],
    ['notSent', 'not-deducted', 'nothingDeducted'],
  ] as const) {
    const reported = conclusionOf(kind === 'unknown' ? { kind, reason: word } : { kind, reason: word });
    noteReason(reported.reason);
    assert.deepEqual([reported.result, reported.reason], ['ERROR', reason]);
  }
});

test('a device that failed is named by its reason; one without a name of its own, and a defect, too', () => {
  for (const [device, reason] of [
    ['card reader', 'cardReaderFailed'],
    ['PIN pad', 'pinPadFailed'],
    ['scanner', 'scannerFailed'],
    ['Octopus reader', 'octopusReaderFailed'],
    ['device', 'deviceFailed'],
  ] as const) {
    const reported = collectConclusion({ kind: 'device', device, code: 'vanished' });
    noteReason(reported.reason);
    assert.equal(reported.reason, reason);
  }
  const { conclusion } = faultEnd(new Error('a defect'));
  noteReason(conclusion?.reason);
  assert.equal(conclusion?.reason, 'collectingFailed');
});

test('a failure is an error with the code of its result', () => {
  assert.deepEqual(failure('TIMEOUT', 'customerTimeout', 'late'), {
    outcome: 'error',
    result: 'TIMEOUT',
    code: 5,
    message: 'late',
    reason: 'customerTimeout',
  });
});
