import { iso8583Acquirer } from '../acquirers/iso8583/host.ts';
import { boundsOf } from '../config/bounds.ts';
import type { CardAcquirer, Configuration } from '../config/configuration.ts';
import { acquirerId } from '../domain/identifiers.ts';
import type { Clock, SteadyClock } from '../ports/clock.ts';
import type { LateAnswer } from '../ports/late-answer.ts';
import { octopusLimits } from '../ports/octopus-reader.ts';
import type { OfflineLimits } from '../transaction/acquirer-profile.ts';
import type { AcquirerSource, OctopusSource } from './acquirers.ts';
import { walletSource } from './wallets.ts';

/** Octopus and cash have no host; their acquirers exist by name only. */
export const octopusId = acquirerId('OCTOPUS');
const cashId = acquirerId('CASH');

/** All configured acquirers with their opened hosts, in the order in which they are asked. */
export async function openHosts(
  configuration: Configuration,
  octopus: OctopusSource['reader'] | undefined,
  clock: SteadyClock,
  onLate: (answer: LateAnswer) => void,
): Promise<readonly AcquirerSource[]> {
  const sources: AcquirerSource[] = [];
  for (const each of configuration.acquirers) {
    sources.push(
      each.protocol === 'iso8583' ? cardSource(each, clock, onLate) : await walletSource(each, configuration, clock),
    );
  }
  if (octopus) {
    const profile = { id: octopusId, brands: ['OCTOPUS'], limits: octopusLimits } as const;
    sources.push({ kind: 'octopus', profile, reader: octopus });
  }
  if (configuration.cash) sources.push({ kind: 'cash', profile: { id: cashId, brands: ['CASH'] } });
  return sources;
}

function cardSource(configured: CardAcquirer, clock: Clock, onLate: (answer: LateAnswer) => void): AcquirerSource {
  const id = acquirerId(configured.id);
  const dialect = configured.dialect ?? configured.id;
  const host = iso8583Acquirer({ ...configured, id, dialect }, { clock, onLate });
  const limits = { ...host.limits, currencies: configured.currencies };
  const profile = {
    ...configured,
    id,
    offline: offlineLimits(configured),
    limits,
    bounds: boundsOf(configured.amounts),
  };
  return { kind: 'card', profile, host };
}

function offlineLimits({ offline: { amountMinorMax, countMax, sumMinorMax } }: CardAcquirer): OfflineLimits {
  return { amountMinorMax: BigInt(amountMinorMax), countMax, sumMinorMax: BigInt(sumMinorMax) };
}
