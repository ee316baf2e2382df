import type { Configuration } from '../config/configuration.ts';
import type { Clock } from '../ports/clock.ts';
import { ClockWatch } from '../supervision/clock-watch.ts';
import type { Log } from '../supervision/log.ts';
import { isClockSynchronised } from '../supervision/time-sync.ts';
import { builtAt } from '../supervision/version.ts';

/** From now on this process lives in the time zone of the shop: what Node calls local time is the shop's. */
export function adoptTimeZone({ timeZone }: Configuration): void {
  if (timeZone !== undefined) process.env['TZ'] = timeZone;
}

/** Looks at the machine's clock from now on. A change is logged. */
export function openClockWatch(clock: Clock, log: Log): ClockWatch {
  const watch = new ClockWatch({ clock, builtAt, isSynchronised: () => isClockSynchronised() });
  watch.onState((state) => {
    if (state === 'ok' || state === 'unknown') log.info('clock', { state });
    else log.warn('clock', { state });
  });
  return watch;
}

/** What the terminal makes of it. */
export function clockDoubtOf({ clock: { whenDoubtful } }: Configuration, watch: ClockWatch) {
  return { now: () => watch.doubt, refuses: whenDoubtful === 'refuse' };
}
