import type { ClockDoubt } from '../domain/clock-doubt.ts';
import type { Trouble } from '../domain/reason.ts';
import type { TerminalParts } from './parts.ts';
import type { PaymentRequest } from './request.ts';

export const clockTroubles: Readonly<Record<ClockDoubt, Trouble>> = {
  unsynchronised: { reason: 'clockNotSynchronised', message: 'the clock is not synchronised' },
  beforeBuild: { reason: 'clockWrong', message: 'the clock is wrong' },
};

/**
 * Why a request that expires may not begin a payment any more; undefined if it may. A clock that is in doubt can't tell: a
 * broker may have held the request for days.
 */
export function latenessOf(
  { expiresAt }: Pick<PaymentRequest, 'expiresAt'>,
  { clock, clockDoubt }: Pick<TerminalParts, 'clock' | 'clockDoubt'>,
): Trouble | undefined {
  if (expiresAt === undefined) return undefined;
  const doubt = clockDoubt?.now();
  if (doubt !== undefined) return clockTroubles[doubt];
  const now = clock.now();
  if (now < expiresAt) return undefined;
  // A till whose own clock is behind learns it from this.
  const lateS = Math.ceil((now.getTime() - expiresAt.getTime()) / 1_000);
  const nowS = Math.floor(now.getTime() / 1_000);
  const message = `the request's time was over ${lateS} s before: the terminal's clock is at ${nowS}; nothing was started`;
  return { reason: 'requestExpired', message };
}
