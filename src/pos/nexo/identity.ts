import { createHash } from 'node:crypto';
import { identifierLengthMax } from '../../base/domain/identifiers.ts';
import { JsonNumber } from '../contracts/pos-calls.ts';

/** The POS that a SaleID names, where its key names none. */
export function posIdOf(saleId: string): string {
  const cleaned = saleId.toWellFormed().replaceAll(/[\p{C}\uFFFD]/gu, '_');
  return cleaned.length <= identifierLengthMax
    ? cleaned
    : cleaned.slice(0, identifierLengthMax).replace(/\p{Cs}$/u, '_');
}

/** What tells a message from another one with the same ServiceID. */
export interface Distinction {
  readonly saleId: string;
  readonly serviceId: string;
  readonly category: string;
  /** SaleTransactionID and its time, or what a message without it refers to. */
  readonly transaction: readonly string[];
}

/**
 * The messageId of a message. ServiceID has ten characters and may come again, so it is not enough. The same message
 * always has the same messageId: also after a restart, and after the terminal has forgotten that it came.
 */
export function messageIdOf({ saleId, serviceId, category, transaction }: Distinction): string {
  const meaning = JSON.stringify([saleId, serviceId, category, ...transaction]);
  return `nexo-${createHash('sha256').update(meaning).digest('base64url')}`;
}

/** The digest of a message as JSON: the order of its fields and its spaces have no meaning. */
export function digestOf(message: unknown): string {
  return createHash('sha256').update(canonical(message)).digest('base64url');
}

function canonical(value: unknown): string {
  if (value instanceof JsonNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}
