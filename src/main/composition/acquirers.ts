import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Acquirer } from '../../payment/method/acquirer.ts';
import { CardAcquirer } from '../../methods/card/acquirer.ts';
import { cashAcquirer } from '../../methods/cash/acquirer.ts';
import { OctopusAcquirer, type OctopusAcquirerOptions } from '../../methods/octopus/acquirer.ts';
import { WalletAcquirer } from '../../methods/wallet/acquirer.ts';
import type { AcquirerHost } from '../../payment/contracts/acquirer-host.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { WalletHost } from '../../payment/contracts/wallet-host.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import type { AcquirerProfile } from '../../payment/transaction/acquirer-profile.ts';

export type OctopusSource = Pick<OctopusAcquirerOptions, 'profile' | 'reader'> & { readonly kind: 'octopus' };

/** The parts of an acquirer: its profile, and its host or reader. */
export type AcquirerSource =
  | { readonly kind: 'card'; readonly profile: AcquirerProfile; readonly host: AcquirerHost }
  | { readonly kind: 'wallet'; readonly profile: AcquirerProfile; readonly host: WalletHost }
  | OctopusSource
  | { readonly kind: 'cash'; readonly profile: AcquirerProfile }
  | ({ readonly kind: 'added' } & Pick<Acquirer, 'profile'> & { readonly acquirer: Acquirer });

export interface AcquirerParts {
  readonly journal: Journal;
  readonly clock: MonotonicClock;
  /** Whether the terminal has a printer. */
  readonly prints: boolean;
  readonly noRecordGraceMs?: number;
  /** Called when the reader's record has determined the outcome of an Octopus payment after the operator's decision. */
  readonly onResolved?: (id: TerminalTransactionId) => void;
  readonly onFailure?: (error: unknown) => void;
}

/** All acquirers of this terminal, in the order in which they are asked. */
export interface Acquirers {
  readonly acquirers: ReadonlyMap<AcquirerId, Acquirer>;
  /** Subsets for the methods: the card acquirers, and the wallets' hosts. */
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
      return new WalletAcquirer({ ...source, journal: parts.journal, clock: parts.clock, printsReceipt });
    case 'octopus':
      return new OctopusAcquirer({ ...source, ...parts, printsReceipt });
    case 'cash':
      return cashAcquirer(source.profile);
    case 'added':
      return source.acquirer;
    default:
      return source satisfies never;
  }
}
