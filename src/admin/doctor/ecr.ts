import type { Configuration } from '../../config/configuration.ts';
import { type Finding, pass, skip, warn } from '../finding.ts';
import type { LocalStatus } from '../local-status.ts';

const part = 'ecr';
const remedy = 'ecr.tills[].notify of the configuration: its URL from this machine, its key; journalctl -u poid -n 50';

/** Where ECR listens, and whether the servers of the POS accept its notifications. `status`: of a terminal that runs. */
export function checkEcr(
  { ecr }: Pick<Configuration, 'ecr'>,
  status: Pick<LocalStatus, 'protocols'> | undefined,
): Finding {
  if (!ecr) return skip(part, 'ecr is not configured');
  const posIds = ecr.tills.map(({ posId }) => posId).join(', ');
  const running = status?.protocols?.ecr;
  if (!running) return pass(part, `https on port ${ecr.port} for ${posIds}, once the terminal runs`);
  const { port, notificationsWaiting: waiting, notificationsGivenUp: givenUp } = running;
  const listens = `https on port ${port} for ${posIds}`;
  if (givenUp > 0) return warn(part, `${listens}; ${givenUp} notifications were given up, ${waiting} wait`, remedy);
  if (waiting > 0) return warn(part, `${listens}; ${waiting} notifications wait for their server`, remedy);
  return pass(part, listens);
}
