import { iso8583Acquirer } from '../../hosts/iso8583/host.ts';
import { boundsOf } from '../../config/bounds.ts';
import type { CardAcquirer, Configuration, WalletAcquirer } from '../../config/configuration.ts';
import type { KeylessAcquirer } from '../../config/host-terms.ts';
import { acquirerId } from '../../base/domain/identifiers.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import type { StandingListener } from '../../payment/contracts/terminal-recognition.ts';
import { octopusLimits } from '../../base/ports/octopus-reader.ts';
import type { OfflineLimits } from '../../payment/transaction/acquirer-profile.ts';
import type { AcquirerSource, OctopusSource } from './acquirers.ts';
import type { HeldAcquirers } from './held-acquirers.ts';
import type { Hold } from './find-holds.ts';
import { switchable } from './switchable.ts';
import { walletSource } from './wallets.ts';

/** Octopus and cash have no host; their acquirers exist by name only. */
export const octopusId = acquirerId('OCTOPUS');
const cashId = acquirerId('CASH');

interface HostListeners {
  readonly onLate: (answer: LateAnswer) => void;
  readonly onStanding: StandingListener;
}

type Surroundings = HostListeners & { readonly clock: MonotonicClock };

/** All configured acquirers with their opened hosts, in the order in which they are asked; then those that are not configured any more. */
export async function openHosts(
  configuration: Configuration,
  octopus: OctopusSource['reader'] | undefined,
  clock: MonotonicClock,
  { onLate, onStanding, held }: HostListeners & { readonly held: HeldAcquirers },
): Promise<readonly AcquirerSource[]> {
  const sources: AcquirerSource[] = [];
  const surroundings = { clock, onLate, onStanding };
  for (const each of configuration.acquirers) {
    const source =
      each.protocol === 'iso8583'
        ? cardSource(each, surroundings)
        : await walletSource(each, configuration, surroundings);
    sources.push(await withFormerHost(source, each, configuration, { ...surroundings, held }));
  }
  if (octopus) {
    const profile = { id: octopusId, brands: ['OCTOPUS'], limits: octopusLimits } as const;
    sources.push({ kind: 'octopus', profile, reader: octopus });
  }
  if (configuration.cash) sources.push({ kind: 'cash', profile: { id: cashId, brands: ['CASH'] } });
  for (const { next, former } of held.all) {
    // The key of a wallet that was removed is not kept.
    if (!next && former?.protocol === 'iso8583') sources.push(withHold(cardSource(former, surroundings), held));
  }
  return sources;
}

/** An acquirer that is held speaks with its former settings until it is released. */
async function withFormerHost(
  source: AcquirerSource,
  configured: Configuration['acquirers'][number],
  configuration: Configuration,
  { held, ...surroundings }: Surroundings & { readonly held: HeldAcquirers },
): Promise<AcquirerSource> {
  const hold = held.all.find(({ id }) => id === configured.id);
  if (!hold) return source;
  const { former } = hold;
  if (former?.protocol === 'iso8583' && source.kind === 'card') {
    const { host } = cardSource(former, surroundings);
    return withHold({ ...source, host: heldHost(hold, host, source.host, () => host.close(), held) }, held);
  }
  if (former?.protocol === 'qfpay' && configured.protocol === 'qfpay' && source.kind === 'wallet') {
    const { host } = await walletSource(withKeyOf(former, configured), configuration, surroundings);
    return withHold({ ...source, host: heldHost(hold, host, source.host, () => host.stop(), held) }, held);
  }
  return withHold(source, held);
}

/** The former host until the acquirer is released, then the next one; `end` closes the former. */
function heldHost<Host extends object>(
  { id }: Hold,
  former: Host,
  next: Host,
  end: () => Promise<void>,
  held: HeldAcquirers,
): Host {
  const { part, switchTo } = switchable(former);
  held.onSwitch(id, async () => {
    switchTo(next);
    await end();
  });
  return part;
}

/** Asked anew for each payment. */
export function withHold<Source extends AcquirerSource>(source: Source, held: HeldAcquirers): Source {
  const { id } = source.profile;
  const profile = Object.defineProperty({ ...source.profile }, 'held', {
    enumerable: true,
    get: () => held.textOf(id),
  });
  return { ...source, profile };
}

function withKeyOf(former: Exclude<KeylessAcquirer, CardAcquirer>, { clientKey }: WalletAcquirer): WalletAcquirer {
  return { ...former, clientKey };
}

function cardSource(
  configured: CardAcquirer,
  surroundings: Surroundings,
): Extract<AcquirerSource, { readonly kind: 'card' }> {
  const id = acquirerId(configured.id);
  const dialect = configured.dialect ?? configured.id;
  const host = iso8583Acquirer({ ...configured, id, dialect }, surroundings);
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
