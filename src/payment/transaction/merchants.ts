import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { Refusal } from '../../base/domain/reason.ts';

/** A merchant of this terminal: a group of acquirers with its own header on receipts. */
export interface Merchant {
  readonly id: string;
  readonly name: string;
}

/** The merchants of a terminal, in order. Without any, everything belongs to the shop. */
export interface Merchants {
  readonly all: readonly Merchant[];
  /**
   * The merchant of each acquirer that has one. An acquirer without one, such as cash, takes the payments of all
   * merchants.
   */
  readonly ofAcquirer: ReadonlyMap<AcquirerId, string>;
}

export const noMerchants: Merchants = { all: [], ofAcquirer: new Map() };

/** The merchant of a request; undefined on a terminal without merchants. */
export function merchantOf(asked: string | undefined, { all }: Merchants): string | undefined {
  return asked ?? all[0]?.id;
}

/**
 * The acquirers that may take a merchant's payments: its own, and those without a merchant. All if no merchant is
 * given.
 */
export function takersFor<Each extends { readonly id: AcquirerId }>(
  merchantId: string | undefined,
  acquirers: readonly Each[],
  { ofAcquirer }: Merchants,
): readonly Each[] {
  if (merchantId === undefined) return acquirers;
  return acquirers.filter(({ id }) => (ofAcquirer.get(id) ?? merchantId) === merchantId);
}

/** Why the terminal refuses a merchant; undefined if it has this merchant, or if none is given. */
export function merchantRefusal(asked: string | undefined, { all }: Merchants): Refusal | undefined {
  if (asked === undefined || all.some(({ id }) => id === asked)) return undefined;
  const known = all.map(({ id }) => id).join(', ');
  const message = all.length === 0 ? 'this terminal has no merchants' : `this terminal has ${known}`;
  return { reason: 'merchantUnknown', message };
}

/** The name of a merchant for display; undefined unless the terminal has several. */
export function merchantName(merchantId: string | undefined, { all }: Merchants): string | undefined {
  return all.length < 2 ? undefined : all.find(({ id }) => id === merchantId)?.name;
}
