import type { Configuration } from '../../config/configuration.ts';
import { localTime } from '../../observability/readable-line.ts';
import { readTimeZone, adoptTimeZone } from '../../observability/time-zone.ts';
import { type Finding, pass, warn } from '../finding.ts';
import type { LocalStatus } from '../local-status.ts';

const remedy = 'timeZone in the configuration, such as Asia/Hong_Kong; then systemctl restart poid';

/** The shop's time: that of receipts, the daily settlement and the hosts' dates. `status`: of a terminal that runs. */
export function checkZone(
  { timeZone }: Pick<Configuration, 'timeZone'>,
  status: Pick<LocalStatus, 'clock'> | undefined,
  now: Date,
): Finding {
  const running = status?.clock;
  const ownFault = adoptTimeZone(timeZone ?? running?.timeZone);
  const fault = timeZone === undefined && running ? running.timeZoneFault : ownFault;
  const told = `${localTime(now)} ${readTimeZone().zone}`;
  if (fault !== undefined) return warn('time zone', `${told}: ${fault}`, remedy);
  if (timeZone !== undefined) return pass('time zone', `${told}, by the configuration`);
  return pass('time zone', `${told}, by ${running ? 'the environment of the service' : 'this machine'}`);
}
