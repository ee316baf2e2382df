import type { SnapshotFrom } from 'xstate';
import { accounts } from '../domain/account.ts';
import { type Amount, majorText } from '../domain/amount.ts';
import type { Scene, ScreenHint, ScreenView } from '../ports/screen.ts';
import type { transactionMachine } from '../transaction/machine.ts';
import { financialImpact, type TransactionRecord } from '../records/record.ts';
import { presentConclusion } from '../records/told.ts';
import type { Collection } from './collection.ts';
import { detailsOf, labelOf } from '../method/descriptions.ts';
import type { Order } from '../method/order.ts';

type Snapshot = SnapshotFrom<typeof transactionMachine>;

/** What the screen shows while a transaction runs; nothing in its first and last states. */
export function runningView(
  snapshot: Snapshot,
  { id, amount, kind, cashbackMinor }: Order,
  collection: Pick<Collection, 'interfaces' | 'holdsCard' | 'releasesCard'>,
  progress: ScreenHint | undefined,
): ScreenView | undefined {
  const scene = sceneOf(snapshot, progress);
  if (!scene) return undefined;
  const { modes, mode, wallets, wallet, payload, hint = progress, conclusion } = snapshot.context;
  const collecting = snapshot.matches('collecting') && conclusion === undefined;
  const more = hintOf(snapshot, collection) ?? hint;
  return labelled({
    scene,
    transaction: id,
    ...priced(amount),
    kind,
    ...(cashbackMinor === undefined ? {} : { cashback: majorText({ ...amount, minor: cashbackMinor }) }),
    ...(more === undefined ? {} : { hint: more }),
    ...(collecting && scene !== 'processing' ? { modes } : {}),
    ...(mode === undefined ? {} : { mode }),
    ...(scene === 'chooseMethod' || scene === 'presentCard' ? { interfaces: interfacesIn(snapshot, collection) } : {}),
    ...(scene === 'chooseAccount' ? { accounts } : {}),
    ...(scene === 'presentCode' ? { wallets } : {}),
    ...(scene === 'presentCode' && wallet !== undefined ? { wallet } : {}),
    ...(scene === 'presentCode' && payload !== undefined ? { code: payload } : {}),
    ...(snapshot.can({ type: 'CANCEL', by: 'merchant' }) ? { cancellable: true } : {}),
  });
}

function interfacesIn(snapshot: Snapshot, collection: Pick<Collection, 'interfaces'>) {
  const { mode, modes } = snapshot.context;
  return mode === undefined && !modes.includes('CARD') ? [] : collection.interfaces(mode);
}

const collectingScenes: Readonly<Record<string, Scene>> = {
  choosingMethod: 'chooseMethod',
  presentingCard: 'presentCard',
  choosingAccount: 'chooseAccount',
  enteringPin: 'enterPin',
  scanningCode: 'scanCode',
  presentingCode: 'presentCode',
  tappingOctopus: 'tapOctopus',
  tenderingCash: 'tenderCash',
};

function sceneOf(snapshot: Snapshot, progress: ScreenHint | undefined): Scene | undefined {
  const { value } = snapshot;
  if (typeof value !== 'object') return undefined;
  if ('collecting' in value) {
    const step = value.collecting;
    const name = typeof step === 'string' ? step : Object.keys(step ?? {})[0];
    return collectingScenes[name ?? ''] ?? 'processing';
  }
  return progress === 'sameOctopusCard' ? 'tapOctopus' : 'processing';
}

/** What a step says by itself. */
function hintOf(
  snapshot: Snapshot,
  { holdsCard, releasesCard }: Pick<Collection, 'holdsCard' | 'releasesCard'>,
): ScreenHint | undefined {
  // While the host is asked is when cards are pulled out.
  if (holdsCard && snapshot.matches({ authorizing: 'atHost' })) return 'leaveCardIn';
  if (releasesCard && snapshot.matches({ authorizing: 'atHost' })) return 'removeCard';
  if (holdsCard && snapshot.matches({ collecting: 'enteringPin' })) return snapshot.context.hint ?? 'leaveCardIn';
  if (snapshot.matches({ collecting: { presentingCode: 'asking' } })) return 'codeComing';
  if (snapshot.matches({ authorizing: 'awaitingCustomer' })) return 'confirmOnPhone';
  if (snapshot.matches({ authorizing: 'withdrawing' })) return 'closingCode';
  if (snapshot.matches({ authorizing: 'completingCard' })) return 'leaveCardIn';
  if (snapshot.matches({ authorizing: 'reversing' })) return 'reversing';
  return undefined;
}

/** The outcome, for the customer. */
export function outcomeView(record: TransactionRecord): ScreenView {
  const { amount, request } = record;
  const price = { ...priced(amount), kind: request.type };
  const { outcome } = presentConclusion(record);
  const details = detailsOf(record).screen?.[outcome];
  switch (outcome) {
    case 'approved':
      return labelled({ scene: 'approved', ...price, ...details });
    case 'declined':
      return { scene: 'declined', ...price, hint: declinedHint(record), ...details };
    case 'error':
      return { scene: 'error', ...price, hint: errorHint(record), ...details };
    default:
      return outcome satisfies never;
  }
}

/** With the names of what the page can't name itself. */
function labelled(view: ScreenView): ScreenView {
  const { modes = [], mode = '', wallets = [], wallet = '' } = view;
  const named = [...modes, mode, ...wallets, wallet].flatMap((code) => {
    const label = labelOf(code);
    return label ? [[code, label] as const] : [];
  });
  return named.length === 0 ? view : { ...view, labels: Object.fromEntries(named) };
}

/** The journal could not be asked how it ended. */
export function unknownView(amount: Amount): ScreenView {
  return { scene: 'error', ...priced(amount), hint: 'askStaff' };
}

function declinedHint({ hostOutcome, reversal }: TransactionRecord): ScreenHint {
  if (reversal) return 'willBeReversed';
  if (hostOutcome?.kind !== 'declined') return 'useAnotherMethod';
  switch (hostOutcome.reason) {
    case 'insufficientValue':
      return 'insufficientValue';
    case 'insufficientFunds':
    case 'insufficientBalance':
      return 'insufficientFunds';
    default:
      return 'useAnotherMethod';
  }
}

function errorHint(record: TransactionRecord): ScreenHint {
  const result = record.conclusion?.result;
  const impact = financialImpact(record);
  if (impact === 'UNKNOWN') return 'askStaff';
  if (impact === 'REVERSAL_PENDING') return 'willBeReversed';
  if (result === 'TRANSACTION_ALREADY_CANCEL') return 'cancelled';
  return result === 'TIMEOUT' ? 'timedOut' : 'notCharged';
}

function priced(amount: Amount): { amount: string; currency: string } {
  return { amount: majorText(amount), currency: amount.currency };
}
