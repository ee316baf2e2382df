import * as z from 'zod';
import type { OctopusCard } from '../../../src/base/ports/octopus-reader.ts';

/** Limit of a line in both directions, including its line feed. */
export const lineBytesMax = 4096;

/** The library counts in units of ten HKD cents. */
const centsPerUnit = 10n;

/** Calls of the agent (fixtures/README.md, Octopus). Amounts in units of ten cents. */
export type AgentCall =
  | { readonly call: 'open' }
  | { readonly call: 'poll'; readonly timeoutMs: number }
  | { readonly call: 'deduct'; readonly cardId: string; readonly amount: number; readonly reference: string }
  | { readonly call: 'find'; readonly reference: string }
  | { readonly call: 'upload' };

/** A well-formed answer. `body` has the fields that come with code 0, not checked yet. */
export interface AgentAnswer {
  readonly id: number;
  readonly code: number;
  readonly body: unknown;
}

const cardIdPattern = /^\d{4,16}$/;
/** Printable, no space. With this length a request stays far below the limit of a line. */
const referencePattern = /^[\x21-\x7e]{1,128}$/;

const head = z.object({ id: z.int().positive(), code: z.int().min(0).max(999_999) });
const name = z.string().regex(/^[\x21-\x7e]{1,32}$/);
const identity = z.object({ deviceId: name, companyId: name });
const balance = z.object({ balance: z.int() });
const card = z.object({ cardId: z.string().regex(cardIdPattern), balance: z.int() });
const deduction = card.extend({ receipt: z.string() });
const finding = z.discriminatedUnion('state', [
  deduction.extend({ state: z.literal('deducted') }),
  z.object({ state: z.literal('incomplete') }),
  z.object({ state: z.literal('none') }),
]);
const fileTotals = z.object({ count: z.int().min(0), total: z.int().min(0) });

export interface Deducted {
  readonly card: OctopusCard;
  readonly receipt: string;
}

export type Found = { readonly state: 'incomplete' | 'none' } | ({ readonly state: 'deducted' } & Deducted);

export function requestLine(id: number, call: AgentCall): string {
  return `${JSON.stringify({ id, ...call })}\n`;
}

/**
 * The answer in a line; undefined if it is malformed. No error repeats its text, because it may contain a card number.
 */
export function answerOf(line: Uint8Array): AgentAnswer | undefined {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    return undefined;
  }
  const { data } = head.safeParse(body);
  return data && { ...data, body };
}

/** These functions read an answer's body. They return undefined if it does not fit its call. */
export function identityOf({ body }: AgentAnswer): { readonly deviceId: string } | undefined {
  return identity.safeParse(body).data;
}

export function cardOf({ body }: AgentAnswer): OctopusCard | undefined {
  const { data } = card.safeParse(body);
  return data && octopusCard(data);
}

export function balanceMinorOf({ body }: AgentAnswer): bigint | undefined {
  const { data } = balance.safeParse(body);
  return data && minorOf(data.balance);
}

export function deductionOf({ body }: AgentAnswer): Deducted | undefined {
  const { data } = deduction.safeParse(body);
  return data && toDeducted(data);
}

export function findingOf({ body }: AgentAnswer): Found | undefined {
  const { data } = finding.safeParse(body);
  return data?.state === 'deducted' ? { state: data.state, ...toDeducted(data) } : data;
}

export function fileTotalsOf({
  body,
}: AgentAnswer): { readonly count: number; readonly totalMinor: bigint } | undefined {
  const { data } = fileTotals.safeParse(body);
  return data && { count: data.count, totalMinor: minorOf(data.total) };
}

/** A positive amount in the library's units. Throws RangeError for an amount that the library can't express. */
export function unitsOf(amountMinor: bigint): number {
  const units = Number(amountMinor / centsPerUnit);
  if (amountMinor <= 0n || amountMinor % centsPerUnit !== 0n || !Number.isSafeInteger(units)) {
    throw new RangeError('an Octopus amount is a multiple of ten cents');
  }
  return units;
}

/** Throws RangeError, without the value. */
export function checkCardId(cardId: string): string {
  if (!cardIdPattern.test(cardId)) throw new RangeError('an Octopus card id is 4 to 16 digits');
  return cardId;
}

/** Throws RangeError. */
export function checkReference(reference: string): string {
  if (!referencePattern.test(reference)) throw new RangeError('a reference is 1 to 128 printable characters');
  return reference;
}

function octopusCard({ cardId, balance }: z.infer<typeof card>): OctopusCard {
  return { cardId, balanceMinor: minorOf(balance) };
}

function toDeducted({ receipt, ...card }: z.infer<typeof deduction>): Deducted {
  // The value was deducted: a control character in the receipt text must not turn that into an unknown outcome. But it
  // must not reach a printer either.
  return { card: octopusCard(card), receipt: receipt.replaceAll(/\p{Cc}/gu, ' ') };
}

function minorOf(units: number): bigint {
  return BigInt(units) * centsPerUnit;
}
