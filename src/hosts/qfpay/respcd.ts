import { type DeclineReason, issuerReasons } from '../../base/domain/decline-reason.ts';

/**
 * Values of `respcd`. Published: QFPay, "Transaction Status Codes". A value in no list proves nothing: the order is
 * enquired. Codes that request a confirmation of the order first, or that report that the host itself does not know,
 * are not conclusive: money may have moved.
 */
export const respcds = {
  paid: ['0000'],
  /** 1143: the customer is entering the password. 1145: processing. */
  waiting: ['1143', '1145'],
  /** The host already has this number: 1102 and 2011 duplicate, 1260 it is paid, 1261 it is not paid. */
  duplicate: ['1102', '2011', '1260', '1261'],
  /** "Please confirm the order status": 1262 refunded, 1266 different amount, 1267 different order. */
  confirmFirst: ['1262', '1266', '1267'],
  /** 1263 cancelled, 1264 closed. These must be confirmed too. */
  ended: ['1263', '1264'],
  /**
   * The refund exceeds the rest: 1125 everything is refunded, 1269 and 1272 more than is left. A proxy that repeats our
   * own refund may cause this.
   */
  excess: ['1125', '1269', '1272'],
  /** Declines of this payment or refund, for a reason other than the order's own state. */
  refused: '1103 1104 1150 1155 1201 1202 1205 1212 1250 1265 1270 1271 1294 2005'.split(' '),
  /**
   * Declines of every request of this terminal: 1105 to 1107 its device is not activated, invalid or not allowed, 1108
   * its signature is wrong, 1203 the merchant's account is not configured, 1241, 1242, 1243 and 1251 its store does not
   * exist, is not configured or is disabled.
   */
  notCommissioned: ['1105', '1106', '1107', '1108', '1203', '1241', '1242', '1243', '1251'],
  /** 1295, 1296 and 1298: no answer from the wallet yet. 1252 and 1254: the host could not process the request. */
  unknown: ['1295', '1296', '1298', '1252', '1254'],
  closed: ['1142'],
  expired: ['1181'],
  noSuchOrder: ['1268'],
  /** "Does not exist or is not operational": the code does not distinguish the two. */
  notOperational: ['1136'],
} as const satisfies Record<string, readonly string[]>;

/** "Signature error": the key of this terminal is not the one that the host has for it. */
export const signatureRefused = '1108';

type Respcd = keyof typeof respcds | 'unlisted';

/** Undefined if it is not a code of four digits. */
export function meaningOf(respcd: unknown): { readonly code: string; readonly meaning: Respcd } | undefined {
  if (typeof respcd !== 'string' || !/^\d{4}$/.test(respcd)) return undefined;
  const names = Object.keys(respcds) as (keyof typeof respcds)[];
  const meaning = names.find((name) => (respcds[name] as readonly string[]).includes(respcd));
  return { code: respcd, meaning: meaning ?? 'unlisted' };
}

/** Decline reasons, where a code has a specific one. 1201: the customer's balance is insufficient. */
const declineReasons: Readonly<Record<string, DeclineReason>> = { '1201': 'insufficientBalance' };

export function declineReason(respcd: string): DeclineReason {
  if (meaningOf(respcd)?.meaning === 'notCommissioned') return 'terminalUnknown';
  return declineReasons[respcd] ?? 'declined';
}

/** Meanings that a host which knows the terminal gives alone: it has looked at the order. */
const meaningsOfOrders: readonly Respcd[] = [
  'paid',
  'waiting',
  'duplicate',
  'confirmFirst',
  'ended',
  'excess',
  'closed',
  'expired',
  'noSuchOrder',
  'notOperational',
];

/** Whether the host knows this terminal, by the code of any answer; undefined if the code does not show it. */
export function knowsTerminal({ code, meaning }: { readonly code: string; readonly meaning: Respcd }) {
  if (meaning === 'notCommissioned') return false;
  return meaningsOfOrders.includes(meaning) || issuerReasons.includes(declineReason(code)) ? true : undefined;
}

/** Values of `cancel`. Published: QFPay, "Asynchronous Notifications", Cancel Field Definitions. */
export const cancelFlags = {
  /** 0 not cancelled, 5 partially refunded. */
  stands: ['0', '5'],
  /** 1 reversed or refunded, 2 cancelled, 3 refunded. */
  givenBack: ['1', '2', '3'],
} as const satisfies Record<string, readonly string[]>;
