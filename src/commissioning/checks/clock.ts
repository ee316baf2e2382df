import type { ClockState } from '../../domain/clock-doubt.ts';
import { fail, type Finding, pass, skip } from '../finding.ts';

/** The terminal's clock, as the daemon judges it. */
export function checkClock(now: Date, isSynchronised: boolean | undefined, builtAt: Date | undefined): Finding {
  const state: ClockState =
    builtAt && now < builtAt
      ? 'beforeBuild'
      : isSynchronised === undefined
        ? 'unknown'
        : isSynchronised
          ? 'ok'
          : 'unsynchronised';
  const told = now.toISOString();
  switch (state) {
    case 'ok':
      return pass('clock', `${told}, set by a time server`);
    case 'unknown':
      return skip('clock', `${told}; nothing on this machine tells whether a time server has set it (timedatectl)`);
    case 'beforeBuild':
      return fail('clock', `${told} is before this program was made`, 'connect the network; then timedatectl status');
    case 'unsynchronised':
      return fail('clock', `${told}, set by no time server`, 'connect the network; then timedatectl status');
    default:
      return state satisfies never;
  }
}
