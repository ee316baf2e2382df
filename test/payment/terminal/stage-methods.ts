// The payment methods on devices and hosts that a test scripts, each part by itself: a module opens its own.
import '../../../src/main/methods.ts';
import type { AcquirerId } from '../../../src/base/domain/identifiers.ts';
import type { MonotonicClock } from '../../../src/base/ports/clock.ts';
import type { OctopusReader } from '../../../src/base/ports/octopus-reader.ts';
import { CardAcquirer } from '../../../src/methods/card/acquirer.ts';
import { type CardMethodParts, cardMethod } from '../../../src/methods/card/method.ts';
import { cashAcquirer, cashMethod } from '../../../src/methods/cash/module.ts';
import type { CashParts } from '../../../src/methods/cash/parts.ts';
import { epsMethod } from '../../../src/methods/eps/method.ts';
import { OctopusAcquirer, type OctopusAcquirerOptions } from '../../../src/methods/octopus/acquirer.ts';
import { octopusMethod } from '../../../src/methods/octopus/module.ts';
import type { OctopusWaits } from '../../../src/methods/octopus/parts.ts';
import { WalletAcquirer } from '../../../src/methods/wallet/acquirer.ts';
import { walletMethod, type WalletMethodParts } from '../../../src/methods/wallet/method.ts';
import type { AcquirerHost } from '../../../src/payment/contracts/acquirer-host.ts';
import type { Journal } from '../../../src/payment/contracts/journal.ts';
import type { WalletHost } from '../../../src/payment/contracts/wallet-host.ts';
import type { Acquirer } from '../../../src/payment/method/acquirer.ts';
import { Methods } from '../../../src/payment/method/methods.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import type { AcquirerProfile } from '../../../src/payment/transaction/acquirer-profile.ts';

/** The lag of the wallets' enquiries. */
export const queryLagMs = 60_000;

/** An acquirer's profile, and its host or reader. */
export type AcquirerSource =
  | { readonly kind: 'card'; readonly profile: AcquirerProfile; readonly host: AcquirerHost }
  | { readonly kind: 'wallet'; readonly profile: AcquirerProfile; readonly host: WalletHost }
  | ({ readonly kind: 'octopus' } & Pick<OctopusAcquirerOptions, 'profile' | 'reader'>)
  | { readonly kind: 'cash'; readonly profile: AcquirerProfile };

interface AcquirerParts {
  readonly journal: Journal;
  readonly clock: MonotonicClock;
  readonly prints: boolean;
  readonly onFailure?: (error: unknown) => void;
}

export interface Acquirers {
  readonly acquirers: ReadonlyMap<AcquirerId, Acquirer>;
  readonly cardAcquirers: ReadonlyMap<AcquirerId, CardAcquirer>;
  readonly wallets: ReadonlyMap<AcquirerId, WalletHost>;
}

export function makeAcquirers(sources: readonly AcquirerSource[], parts: AcquirerParts): Acquirers {
  const acquirers = new Map<AcquirerId, Acquirer>();
  const cardAcquirers = new Map<AcquirerId, CardAcquirer>();
  const wallets = new Map<AcquirerId, WalletHost>();
  for (const source of sources) {
    const { id } = source.profile;
    const acquirer = makeAcquirer(source, parts);
    acquirers.set(id, acquirer);
    if (acquirer instanceof CardAcquirer) cardAcquirers.set(id, acquirer);
    if (source.kind === 'wallet') wallets.set(id, source.host);
  }
  return { acquirers, cardAcquirers, wallets };
}

function makeAcquirer(source: AcquirerSource, { prints, ...parts }: AcquirerParts): Acquirer {
  const printsReceipt = ({ request }: TransactionRecord) => prints && request.printedBy === 'terminal';
  switch (source.kind) {
    case 'card':
      return new CardAcquirer({ ...source, ...parts });
    case 'wallet':
      return new WalletAcquirer({ ...source, ...parts, lagMs: queryLagMs, printsReceipt });
    case 'octopus':
      return new OctopusAcquirer({ ...source, ...parts, printsReceipt });
    case 'cash':
      return cashAcquirer(source.profile);
    default:
      return source satisfies never;
  }
}

type StageParts = CardMethodParts &
  Omit<WalletMethodParts, 'waits'> &
  Pick<CashParts, 'openDrawer'> & {
    readonly octopus: OctopusReader | undefined;
    readonly waits: WalletMethodParts['waits'] & OctopusWaits;
  };

/** All methods, in the order of `src/main/methods.ts`. */
export function openMethods({ octopus, ...parts }: StageParts): Methods {
  return new Methods([
    cardMethod(parts),
    walletMethod(parts),
    ...(octopus ? [octopusMethod({ ...parts, octopus })] : []),
    epsMethod(parts),
    cashMethod(parts),
  ]);
}
