import type { Amount } from '../domain/amount.ts';
import { type Instrument, methodGroup, methodsOf, offered } from '../domain/capability.ts';
import { type CollectMode, collectModes, type preferredEntryModes } from '../domain/entry-mode.ts';
import type { AcquirerId } from '../domain/identifiers.ts';
import { beyond } from '../domain/limits.ts';
import type { PaymentScheme, WalletScheme } from '../domain/payment-scheme.ts';
import type { TransactionType } from '../domain/transaction-type.ts';
import type { AcquirerProfile } from './decide.ts';

export type PreferredEntryMode = (typeof preferredEntryModes)[number];

/** What a request says of how it is to be paid. */
export interface CollectTerms {
  readonly type: TransactionType;
  readonly amount: Amount;
  readonly preferredEntryMode?: PreferredEntryMode | undefined;
  readonly preferredInstrument?: Instrument | undefined;
  readonly forcedAcquirer?: AcquirerId | undefined;
  /** EPS alone gives cash. */
  readonly cashbackMinor?: bigint | undefined;
  /** No field of an EPS message has room for it. */
  readonly tipMinor?: bigint | undefined;
}

/** What stands on the counter beside the card reader. */
export interface Equipment {
  readonly scanner: boolean;
  /** The reader has a PIN pad. */
  readonly pinPad: boolean;
}

/** How a payment may be collected, and where the payment app starts. */
export interface Collectable {
  readonly modes: readonly CollectMode[];
  /** None: the merchant chooses. */
  readonly start?: CollectMode;
  /** Wallets whose code can be shown, the preferred one first. */
  readonly wallets: readonly WalletScheme[];
}

export interface Uncollectable {
  /** The field of the request, RFC 6901. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * What a request that names no original can be collected with here. `preferredInstrument` and `preferredEntryMode` say where
 * the payment app starts, and the merchant may still change; `forceAcquirer` leaves no choice. One that contradicts the
 * rest, or this terminal, is refused.
 */
export function collectable(
  terms: CollectTerms,
  profiles: readonly AcquirerProfile[],
  equipment: Equipment,
): Collectable | Uncollectable {
  const { preferredEntryMode: entry = 'DEFAULT', preferredInstrument, forcedAcquirer } = terms;
  const allowed = profiles.filter(({ id }) => forcedAcquirer === undefined || id === forcedAcquirer);
  const preferred = methodsOf(preferredInstrument);
  const able = allowed.filter(({ limits }) => !beyond(terms.amount, limits));
  const modesOf = (offers: typeof profiles) =>
    collectModes.filter((mode) => canCollect(mode, terms, offers, equipment));
  const fittingOf = (offers: typeof profiles) =>
    modesOf(offers).filter((mode) => methodsIn(mode, offers).some((method) => preferred.includes(method)));
  /** Where the amount alone is too much for what would do else: the limit. */
  const limit = (wanted: (offers: typeof profiles) => boolean) => {
    const limits = wanted(allowed) ? allowed.map((offer) => beyond(terms.amount, offer.limits)) : [];
    const told = limits.find((each) => each !== undefined);
    return told === undefined ? '' : `: ${told}`;
  };
  const modes = modesOf(able);
  if (modes.length === 0) {
    const told = limit((offers) => modesOf(offers).length > 0);
    return no(
      '/transactionType',
      `is not possible with this amount${told === '' ? ', or what this terminal has' : told}`,
    );
  }
  const fitting = fittingOf(able);
  if (fitting.length === 0 && terms.type === 'REFUND') {
    return no('/originalTerminalTransactionId', 'is required for a refund that goes back to no card');
  }
  if (fitting.length === 0) {
    const told = limit((offers) => fittingOf(offers).length > 0);
    return no('/preferredInstrument', `can't be taken for this${told}; possible are ${modes.join(', ')}`);
  }
  const wallets = walletsShown(able).toSorted((a, b) => rank(a, preferred) - rank(b, preferred));
  if (entry !== 'DEFAULT') {
    const start = entry === 'CARD' && !fitting.includes('CARD') ? 'EPS' : entry;
    if (!fitting.includes(start)) {
      const told = limit((offers) => fittingOf(offers).includes(start));
      return no('/preferredEntryMode', mismatch(entry, modes, preferredInstrument, told));
    }
    return { modes, start, wallets };
  }
  const start = preferredInstrument === undefined && modes.length > 1 ? undefined : fitting[0];
  return { modes, wallets, ...(start === undefined ? {} : { start }) };
}

export function isUncollectable(answer: Collectable | Uncollectable): answer is Uncollectable {
  return 'pointer' in answer;
}

function canCollect(
  mode: CollectMode,
  { type, cashbackMinor, tipMinor }: CollectTerms,
  profiles: readonly AcquirerProfile[],
  { scanner, pinPad }: Equipment,
): boolean {
  // A wallet's refund goes by its original, where nobody presents anything.
  if (type !== 'SALE' && mode !== 'CARD') return false;
  if (cashbackMinor !== undefined && mode !== 'EPS') return false;
  if (tipMinor !== undefined && mode === 'EPS') return false;
  if (!methodsIn(mode, profiles).some((method) => (offered(method, profiles) as string[]).includes(type))) return false;
  switch (mode) {
    case 'QR_SCAN':
      return scanner;
    case 'EPS':
      return pinPad;
    case 'CARD':
    case 'QR_PRESENT':
    case 'OCTOPUS':
    case 'CASH':
      return true;
    default:
      return mode satisfies never;
  }
}

/** The payment methods that a mode can come to with these acquirers. */
function methodsIn(mode: CollectMode, profiles: readonly AcquirerProfile[]): readonly PaymentScheme[] {
  const all = profiles.flatMap(({ brands }) => brands);
  switch (mode) {
    case 'CARD':
      return all.filter((method) => methodGroup(method) === 'CARD' || methodGroup(method) === 'UNIONPAY');
    case 'QR_SCAN':
      return profiles.flatMap(({ scanned = [] }) => scanned);
    case 'QR_PRESENT':
      return walletsShown(profiles);
    case 'OCTOPUS':
    case 'EPS':
    case 'CASH':
      return all.filter((method) => method === mode);
    default:
      return mode satisfies never;
  }
}

function walletsShown(profiles: readonly AcquirerProfile[]): WalletScheme[] {
  return profiles.flatMap(({ presented = [] }) => presented);
}

function rank(wallet: WalletScheme, preferred: readonly PaymentScheme[]): number {
  return preferred.includes(wallet) ? 0 : 1;
}

function mismatch(
  entry: Exclude<PreferredEntryMode, 'DEFAULT'>,
  modes: readonly CollectMode[],
  instrument: Instrument | undefined,
  limit: string,
): string {
  const others = `possible are ${modes.join(', ')}`;
  const isPossible = (modes as readonly string[]).includes(entry);
  return isPossible && instrument !== undefined
    ? `contradicts preferredInstrument ${instrument}; ${others}`
    : `is not possible with this request${limit}; ${others}`;
}

function no(pointer: string, message: string): Uncollectable {
  return { pointer, message };
}
