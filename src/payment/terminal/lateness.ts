import type { ClockDoubt } from '../../base/domain/clock-doubt.ts';
import type { Trouble } from '../../base/domain/reason.ts';
import { stopping } from './answers.ts';
import type { RunParts } from './parts.ts';
import type { PaymentRequest } from './request.ts';

const clockTroubles: Readonly<Record<ClockDoubt, Trouble>> = {
  unsynchronised: { reason: 'clockNotSynchronised', message: 'the clock is not synchronised' },
  beforeBuild: { reason: 'clockWrong', message: 'the clock is wrong' },
};

/** Why no payment can begin now, where a clock in doubt refuses payments. */
export function clockRefusal({ clockDoubt }: Pick<RunParts, 'clockDoubt'>): Trouble | undefined {
  const doubt = clockDoubt?.refuses ? clockDoubt.now() : undefined;
  return doubt === undefined ? undefined : clockTroubles[doubt];
}

/**
 * Why a request may not begin a payment any more; undefined if it may. The terminal may be about to stop, or the request
 * may have expired. A clock in doubt can't tell whether it has, and a broker may have held it for days.
 */
export function latenessOf(
  { expiresAt }: Pick<PaymentRequest, 'expiresAt'>,
  { clock, clockDoubt, isClosing }: Pick<RunParts, 'clock' | 'clockDoubt' | 'isClosing'>,
): Trouble | undefined {
  if (isClosing()) return stopping;
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
