import { iso8583Acquirer } from '../acquirers/iso8583/host.ts';
import type { CardAcquirer, Configuration, WalletAcquirer } from '../config/configuration.ts';
import { type AcquirerId, acquirerId } from '../domain/identifiers.ts';
import type { AcquirerHost } from '../ports/acquirer-host.ts';
import type { Clock, SteadyClock } from '../ports/clock.ts';
import type { LateAnswer } from '../ports/late-answer.ts';
import { octopusLimits } from '../ports/octopus-reader.ts';
import type { WalletHost } from '../ports/wallet-host.ts';
import type { Undoing } from '../terminal/forwarder.ts';
import type { OctopusReturn } from '../method/octopus/card-return.ts';
import { walletUndone } from '../method/wallet/undo.ts';
import type { AcquirerProfile, OfflineLimits } from '../transaction/decide.ts';
import type { TransactionRecord } from '../records/record.ts';

/** Octopus and cash have no host: they are acquirers by name alone. */
export const octopusId = acquirerId('OCTOPUS');
const cashId = acquirerId('CASH');

/** FPS gives nothing back (QFPay's public payment types: FPS does not support refunds). */
const withoutRefunds = { FPS: ['REFUND', 'VOID_SALE', 'VOID_REFUND'] } as const;

/** Everybody that this terminal settles with. */
export interface Acquirers {
  readonly hosts: ReadonlyMap<AcquirerId, AcquirerHost>;
  readonly wallets: ReadonlyMap<AcquirerId, WalletHost>;
  /** In the order in which they are asked. */
  readonly profiles: readonly AcquirerProfile[];
}

export async function openAcquirers(
  configuration: Configuration,
  clock: SteadyClock,
  onLate: (answer: LateAnswer) => void,
): Promise<Acquirers> {
  const hosts = new Map<AcquirerId, AcquirerHost>();
  const wallets = new Map<AcquirerId, WalletHost>();
  const profiles: AcquirerProfile[] = [];
  for (const each of configuration.acquirers) {
    const id = acquirerId(each.id);
    if (each.protocol === 'iso8583') {
      const host = cardHost(id, each, clock, onLate);
      hosts.set(id, host);
      profiles.push({ ...each, id, offline: offlineLimits(each), limits: host.limits });
    } else {
      const wallet = await walletHost(id, each, clock);
      const { scanned, presented, limits } = wallet;
      const brands = [...new Set([...scanned, ...presented])];
      wallets.set(id, wallet);
      profiles.push({ id, brands, limits, scanned, presented, kinds: each.kinds, lacking: withoutRefunds });
    }
  }
  if (configuration.octopus) profiles.push({ id: octopusId, brands: ['OCTOPUS'], limits: octopusLimits });
  if (configuration.cash) profiles.push({ id: cashId, brands: ['CASH'] });
  return { hosts, wallets, profiles };
}

/** How what is unknown at those without ISO 8583 is undone, or found out. */
export function undoings(
  { wallets }: Acquirers,
  octopus: Pick<OctopusReturn, 'found'> | undefined,
  hasPrinter: boolean,
  clock: Clock,
): ReadonlyMap<AcquirerId, Undoing> {
  const undoing = new Map<AcquirerId, Undoing>();
  const printsReceipt = ({ request }: TransactionRecord) => hasPrinter && request.shape === 'A';
  for (const [id, wallet] of wallets) {
    undoing.set(id, (record) => walletUndone(record, wallet, clock, printsReceipt(record)));
  }
  if (octopus) undoing.set(octopusId, (record) => octopus.found(record, printsReceipt(record)));
  return undoing;
}

function cardHost(
  id: AcquirerId,
  configured: CardAcquirer,
  clock: Clock,
  onLate: (answer: LateAnswer) => void,
): AcquirerHost {
  const dialect = configured.dialect ?? configured.id;
  return iso8583Acquirer({ ...configured, id, dialect }, { clock, onLate });
}

function offlineLimits({ offline: { amountMinorMax, countMax, sumMinorMax } }: CardAcquirer): OfflineLimits {
  return { amountMinorMax: BigInt(amountMinorMax), countMax, sumMinorMax: BigInt(sumMinorMax) };
}

async function walletHost(id: AcquirerId, configured: WalletAcquirer, clock: SteadyClock): Promise<WalletHost> {
  const { qfpayHost } = await import('../acquirers/qfpay/host.ts');
  return qfpayHost({ ...configured, id }, { clock });
}
