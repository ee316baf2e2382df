import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';

/** systemd-timesyncd makes it once the clock is set (systemd-timesyncd.service(8)); so may whatever else sets the clock. */
export const synchronisedFile = '/run/systemd/timesync/synchronized';

const answerMs = 2_000;

/**
 * Whether a time server has set the clock since the machine was started. The kernel knows (adjtimex(2), STA_UNSYNC), but the unit's
 * ProtectClock forbids to ask it: timedatectl asks a service that may, whatever sets the clock (chrony, ntpd). Undefined where nothing tells.
 */
export function isClockSynchronised(file = synchronisedFile, program = 'timedatectl'): Promise<boolean | undefined> {
  if (existsSync(file)) return Promise.resolve(true);
  return new Promise((resolve) => {
    execFile(program, ['show', '-p', 'NTPSynchronized', '--value'], { timeout: answerMs }, (error, out) => {
      const answer = error ? '' : out.trim();
      resolve(answer === 'yes' ? true : answer === 'no' ? false : undefined);
    });
  });
}
