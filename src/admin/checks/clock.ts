import type { ClockState } from '../../base/domain/clock-doubt.ts';
import { fail, type Finding, pass, skip, warn } from '../finding.ts';
import type { Machine } from '../machine.ts';

const unreached = 'no time server is reachable on this line, so none has set it';

/**
 * The terminal's clock, as the daemon judges it. `isReached`: whether a time server answers here; not required on a
 * manufacturing line without internet.
 */
export function checkClock(
  now: Date,
  isSynchronised: boolean | undefined,
  builtAt: Date | undefined,
  isReached?: boolean,
): Finding {
  const state: ClockState =
    builtAt && now < builtAt
      ? 'beforeBuild'
      : isSynchronised === undefined
        ? 'unknown'
        : isSynchronised
          ? 'ok'
          : 'unsynchronised';
  const shown = now.toISOString();
  switch (state) {
    case 'ok':
      return pass('clock', `${shown}, set by a time server`);
    case 'unknown':
      return skip('clock', `${shown}; nothing on this machine tells whether a time server has set it (timedatectl)`);
    case 'beforeBuild':
      return fail('clock', `${shown} is before this program was made`, 'connect the network; then timedatectl status');
    case 'unsynchronised':
      if (isReached === false) return warn('clock', `${shown}; ${unreached}`, 'poid doctor, once it is in the shop');
      return fail('clock', `${shown}, set by no time server`, 'connect the network; then timedatectl status');
    default:
      return state satisfies never;
  }
}

const timesyncQuestion = ['timedatectl', 'show-timesync', '-p', 'NTPMessage', '--value'] as const;
const chronyQuestion = ['chronyc', '-c', '-n', 'sources'] as const;

/** The programs that `isTimeServerReached` runs. */
export const timeServerQuestions = [timesyncQuestion, chronyQuestion] as const;

/**
 * Whether a time server has answered since the machine was started. Undefined if no program that sets the clock reports
 * it. systemd-timesyncd: timedatectl(1), show-timesync, whose NTPMessage is the last answer. chrony: chronyc(1),
 * sources, whose sixth field counts the last eight answers.
 */
export function isTimeServerReached(machine: Machine): boolean | undefined {
  const answer = machine.run(...timesyncQuestion);
  if (answer !== undefined) return answer.trim() !== '';
  const sources = machine.run(...chronyQuestion);
  if (sources === undefined) return undefined;
  return sources.split('\n').some((line) => Number(line.split(',')[5] ?? 0) > 0);
}
