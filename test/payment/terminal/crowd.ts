import assert from 'node:assert/strict';
import { type TerminalTransactionId, terminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import { settled } from '../../support/manual-clock.ts';
import type { Stage } from './stage.ts';

/** More than a start recalls the identities of (src/payment/terminal/terminal.ts). */
const payments = 251;

/** A start before which so many other payments have ended that it does not recall the identity of this one. */
export async function restartAfterCrowd(stage: Stage, id: TerminalTransactionId): Promise<void> {
  const { store } = stage.journal;
  const [accepted, ...others] = store.read(id).map(({ event }) => event);
  const ended = others.find((event) => event.kind === 'ended');
  assert.ok(accepted?.kind === 'accepted' && ended);
  for (let each = 0; each < payments; each++) {
    const later = terminalTransactionId(stage.clock.now(), Buffer.from(each.toString().padStart(10, '0')));
    store.open(later, { ...accepted, messageId: `N-${each}` }, [ended]);
  }
  await stage.restart();
  await settled();
}
