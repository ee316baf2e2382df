import type { Configuration } from '../../config/configuration.ts';
import type { Clock } from '../../base/ports/clock.ts';
import { ClockWatch } from '../../observability/clock-watch.ts';
import type { Log } from '../../observability/log.ts';
import { isClockSynchronised } from '../../observability/time-sync.ts';
import { adoptTimeZone } from '../../observability/time-zone.ts';
import { builtAt } from '../../observability/version.ts';

/** Makes the shop's time zone that of the process, and logs a zone that can't be used. */
export function adoptShopZone({ timeZone }: Configuration, log: Log): void {
  const fault = adoptTimeZone(timeZone);
  if (fault !== undefined) log.warn('clock', { reason: fault });
}

/** Watches the machine's clock, and logs changes of its state. */
export function openClockWatch(clock: Clock, log: Log): ClockWatch {
  const watch = new ClockWatch({ clock, builtAt, isSynchronised: () => isClockSynchronised() });
  watch.onState((state) => {
    if (state === 'ok' || state === 'unknown') log.info('clock', { state });
    else log.warn('clock', { state });
  });
  return watch;
}

/** The clock's doubt as the terminal uses it, and whether it refuses payments meanwhile. */
export function clockDoubtOf({ clock: { whenDoubtful } }: Configuration, watch: ClockWatch) {
  return { now: () => watch.doubt, refuses: whenDoubtful === 'refuse' };
}
