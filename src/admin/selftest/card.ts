import type { Amount } from '../../base/domain/amount.ts';
import type { CardReader, CollectOutcome } from '../../base/ports/card-reader.ts';
import { DeviceError } from '../../base/ports/device.ts';
import { fail, type Finding, pass, skip } from '../finding.ts';
import { unattended } from './asked.ts';
import type { Person } from './person.ts';

/** How often a card that moved too early may be tried. */
const triesMax = 3;

/**
 * Reads one card, and a PIN where the reader has a pad. No payment is made: no host is asked, and a chip that waits for
 * its decision gets "host unreachable".
 */
export async function testCard(
  reader: CardReader,
  amount: Amount,
  person: Person | undefined,
  patienceMs: number,
): Promise<Finding[]> {
  if (!person) return [skip('tap', unattended), skip('PIN pad', reader.pinPad ? unattended : withoutPad)];
  const tap = await testTap(reader, amount, person, patienceMs).catch(deviceFault('tap'));
  if (tap.verdict !== 'PASS' || !reader.pinPad) {
    return [tap, skip('PIN pad', reader.pinPad ? 'it needs a card that was read' : withoutPad)];
  }
  person.show(`Enter any four digits and Enter on the PIN pad, or press its Cancel (${patienceMs / 1000} s).`);
  const request = { amount, timeoutMs: patienceMs, again: false };
  const pin = reader.pinPad.enterPin(request, new AbortController().signal).then(({ kind }) => {
    if (kind === 'timeout') return fail('PIN pad', 'no key was pressed, or none was felt', 'its cable; its keys');
    return pass('PIN pad', kind === 'pin' ? 'digits were entered, and encrypted by the pad' : 'Cancel was pressed');
  });
  return [tap, await pin.catch(deviceFault('PIN pad'))];
}

const withoutPad = 'the reader has none';

async function testTap(reader: CardReader, amount: Amount, person: Person, patienceMs: number): Promise<Finding> {
  const interfaces = reader.interfaces ?? ['contactless'];
  let outcome: CollectOutcome = { kind: 'timeout' };
  for (let tries = 0; tries < triesMax; tries++) {
    const way = interfaces.length > 1 ? ', or insert or swipe it' : '';
    person.show(`Hold a card to the reader${way} (${patienceMs / 1000} s). Nothing is paid.`);
    const request = { amount, type: 'purchase', timeoutMs: patienceMs, interfaces } as const;
    outcome = await reader.collect(request, new AbortController().signal);
    if (outcome.kind !== 'tryAgain') break;
  }
  switch (outcome.kind) {
    case 'card': {
      const { card } = outcome;
      if (card.awaitsDecision) await reader.complete?.({ kind: 'unreachable' });
      if (card.awaitsOutcome) await reader.show?.({ kind: 'unreachable' });
      return pass('tap', `a card was read: ${card.entryMode}${card.appName === '' ? '' : `, ${card.appName}`}`);
    }
    case 'refused':
      return pass('tap', `a card was seen, and refused: ${outcome.reason}`);
    case 'tryAgain':
      return fail(
        'tap',
        `the card could not be read: ${outcome.reason}`,
        'another card; the reader’s surface and slot',
      );
    case 'timeout':
    case 'cancelled':
      return fail('tap', 'no card was seen', 'another card; the reader’s antenna; its keys and its configuration');
    default:
      return outcome satisfies never;
  }
}

function deviceFault(part: string): (error: unknown) => Finding {
  return (error) => {
    if (!(error instanceof DeviceError)) throw error;
    return fail(part, error.message, 'its cable; switch it off and on');
  };
}
