import { iso8583Acquirer } from '../acquirers/iso8583/host.ts';
import type { CardAcquirer, Configuration, WalletAcquirer } from '../config/configuration.ts';
import type { Bounds } from '../domain/limits.ts';
import { acquirerId } from '../domain/identifiers.ts';
import type { Clock, SteadyClock } from '../ports/clock.ts';
import type { LateAnswer } from '../ports/late-answer.ts';
import { octopusLimits } from '../ports/octopus-reader.ts';
import type { OfflineLimits } from '../transaction/acquirer-profile.ts';
import type { AcquirerSource, OctopusSource } from './acquirers.ts';

/** Octopus and cash have no host; their acquirers exist by name only. */
export const octopusId = acquirerId('OCTOPUS');
const cashId = acquirerId('CASH');

/** FPS has no refunds (QFPay's public payment types: FPS does not support refunds). */
const withoutRefunds = { FPS: ['REFUND', 'VOID_SALE', 'VOID_REFUND'] } as const;

/** The Faster Payment System carries Hong Kong dollars and renminbi (HKMA). */
const fpsCurrencies = ['HKD', 'CNY'] as const;

/** All configured acquirers with their opened hosts, in the order in which they are asked. */
export async function openHosts(
  configuration: Configuration,
  octopus: OctopusSource['reader'] | undefined,
  clock: SteadyClock,
  onLate: (answer: LateAnswer) => void,
): Promise<readonly AcquirerSource[]> {
  const sources: AcquirerSource[] = [];
  for (const each of configuration.acquirers) {
    sources.push(each.protocol === 'iso8583' ? cardSource(each, clock, onLate) : await walletSource(each, clock));
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
  const profile = { ...configured, id, offline: offlineLimits(configured), limits, bounds: boundsOf(configured) };
  return { kind: 'card', profile, host };
}

function boundsOf({ amounts }: Pick<CardAcquirer | WalletAcquirer, 'amounts'>): Bounds {
  const minor = (units: number | undefined) => (units === undefined ? undefined : BigInt(units));
  return Object.fromEntries(
    Object.entries(amounts).map(([currency, { minMinor, maxMinor }]) => [
      currency,
      { leastMinor: minor(minMinor), mostMinor: minor(maxMinor) },
    ]),
  );
}

function offlineLimits({ offline: { amountMinorMax, countMax, sumMinorMax } }: CardAcquirer): OfflineLimits {
  return { amountMinorMax: BigInt(amountMinorMax), countMax, sumMinorMax: BigInt(sumMinorMax) };
}

async function walletSource(configured: WalletAcquirer, clock: SteadyClock): Promise<AcquirerSource> {
  const id = acquirerId(configured.id);
  const { qfpayHost } = await import('../acquirers/qfpay/host.ts');
  const host = qfpayHost({ ...configured, id }, { clock });
  const { scanned, presented } = host;
  const { currencies, kinds } = configured;
  const brands = [...new Set([...scanned, ...presented])];
  const schemeCurrencies = Object.fromEntries(
    brands.map((scheme) => [scheme, scheme === 'FPS' ? fpsCurrencies : currencies]),
  );
  const profile = {
    id,
    brands,
    limits: host.limits,
    bounds: boundsOf(configured),
    schemeCurrencies,
    scanned,
    presented,
    kinds,
    lacking: withoutRefunds,
  };
  return { kind: 'wallet', profile, host };
}
