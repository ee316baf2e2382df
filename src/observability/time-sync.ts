import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';

/** systemd-timesyncd creates it once the clock is set (systemd-timesyncd.service(8)); other programs may do so too. */
export const synchronisedFile = '/run/systemd/timesync/synchronized';

const answerMs = 2_000;

/**
 * Whether a time server has set the clock since the machine was started. The kernel knows (adjtimex(2), STA_UNSYNC),
 * but the unit's ProtectClock forbids that call. timedatectl asks a service that may make it, for any program that sets
 * the clock (chrony, ntpd). Undefined if not known.
 */
export function isClockSynchronised(file = synchronisedFile, program = 'timedatectl'): Promise<boolean | undefined> {
  if (existsSync(file)) return Promise.resolve(true);
  return new Promise((resolve) => {
    // systemd's tools report their end to NOTIFY_SOCKET, which would be taken for the end of this service.
    const env = { ...process.env, NOTIFY_SOCKET: '' };
    execFile(program, ['show', '-p', 'NTPSynchronized', '--value'], { timeout: answerMs, env }, (error, out) => {
      const answer = error ? '' : out.trim();
      resolve(answer === 'yes' ? true : answer === 'no' ? false : undefined);
    });
  });
}
