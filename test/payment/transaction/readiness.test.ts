import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { Reason } from '../../../src/base/domain/reason.ts';
import type { AcquirerProfile } from '../../../src/payment/transaction/acquirer-profile.ts';
import type { PaymentTerms } from '../../../src/payment/transaction/terminal-capabilities.ts';
import { isPlanRefusal, planPayment } from '../../../src/payment/transaction/plan.ts';
import { noteReason } from '../../support/reported-reasons.ts';
import { terminalCapabilitiesOf } from './terminal-capabilities.ts';

const profiles: readonly AcquirerProfile[] = [
  { id: acquirerId('EDC'), brands: ['VISA'] },
  { id: acquirerId('EPS'), brands: ['EPS'] },
  { id: acquirerId('QR'), brands: ['ALIPAY'], scanned: ['ALIPAY'], presented: ['ALIPAY'] },
  { id: acquirerId('OCTOPUS'), brands: ['OCTOPUS'] },
  { id: acquirerId('CASH'), brands: ['CASH'] },
];
const sale: PaymentTerms = { type: 'SALE', amount: { minor: 3_000n, currency: 'HKD' } };
const absences: Readonly<Record<string, Reason>> = {
  CARD: 'cardReaderAbsent',
  EPS: 'cardReaderAbsent',
  QR_SCAN: 'scannerAbsent',
  OCTOPUS: 'octopusReaderAbsent',
};

/** A plan while the devices of these modes are absent. `but`: acquirers that this terminal does not have. */
function collected(absent: readonly string[], terms: Partial<PaymentTerms> = {}, but: readonly string[] = []) {
  const own = profiles.filter(({ id }) => !but.includes(id));
  const { modes } = terminalCapabilitiesOf(own, { scanner: true, pinPad: true });
  const now = modes.map((mode) => {
    const reason = absent.includes(mode.mode) ? absences[mode.mode] : undefined;
    return reason ? { ...mode, notReady: () => ({ reason, message: 'it is not connected' }) } : mode;
  });
  const plan = planPayment({ ...sale, ...terms }, { profiles: own, modes: now });
  assert.ok(!isPlanRefusal(plan));
  noteReason(plan.collects.notReady?.reason);
  const { modes: offered, start, defaultMode, notReady } = plan.collects;
  return { offered, start, defaultMode, notReady: notReady?.reason };
}

const reader = ['CARD', 'EPS'];

describe('what can be taken is taken', () => {
  test('without the card reader the merchant is offered the rest, and no reader is armed', () => {
    assert.deepEqual(collected(reader), {
      offered: ['QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'CASH'],
      start: undefined,
      defaultMode: undefined,
      notReady: undefined,
    });
  });

  test('with one way left it starts there', () => {
    const left = collected([...reader, 'QR_SCAN', 'OCTOPUS'], {}, ['QR']);
    assert.deepEqual([left.offered, left.start, left.notReady], [['CASH'], 'CASH', undefined]);
  });

  test('with nothing left it is not ready, and says what is missing first', () => {
    const none = collected([...reader, 'OCTOPUS'], {}, ['QR', 'CASH']);
    assert.deepEqual([none.offered, none.notReady], [[], 'cardReaderAbsent']);
  });

  for (const [name, absent, terms, notReady] of [
    ['a card', reader, { preferredEntryMode: 'CARD' }, 'cardReaderAbsent'],
    ['a brand', reader, { preferredInstrument: 'VISA' }, 'cardReaderAbsent'],
    ['EPS', reader, { preferredInstrument: 'EPS' }, 'cardReaderAbsent'],
    ['a scan', ['QR_SCAN'], { preferredEntryMode: 'QR_SCAN' }, 'scannerAbsent'],
    ['Octopus', ['OCTOPUS'], { preferredInstrument: 'OCTOPUS' }, 'octopusReaderAbsent'],
    ['an acquirer', reader, { forcedAcquirer: acquirerId('EDC') }, 'cardReaderAbsent'],
    ['cash while the reader is absent', reader, { preferredEntryMode: 'CASH' }, undefined],
    ['a code while the scanner is absent', ['QR_SCAN'], { preferredEntryMode: 'QR_PRESENT' }, undefined],
  ] as const) {
    test(`${name} was asked for: ${notReady ?? 'ready'}`, () => {
      assert.equal(collected(absent, terms).notReady, notReady);
    });
  }

  test('a wallet that can be shown is shown where it can’t be scanned', () => {
    const { start, notReady } = collected(['QR_SCAN'], { preferredInstrument: 'ALIPAY' });
    assert.deepEqual([start, notReady], ['QR_PRESENT', undefined]);
  });
});
