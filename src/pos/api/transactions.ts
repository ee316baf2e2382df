import { createHash } from 'node:crypto';
import * as z from 'zod';
import { acquirerId } from '../../base/domain/identifiers.ts';
import type { ListItem, ListPage, ListState, PageQuery } from '../../payment/terminal/transaction-lists.ts';
import { merchantRefusal, noMerchants } from '../../payment/transaction/merchants.ts';
import { type ApiParts, refusalAnswer } from './call.ts';
import { runningAnswer } from './enquiry.ts';
import { type Answer, errorAnswer, posResponse } from './pos-response.ts';
import { identifier, isRefusal, oneOf, optional, type InputRefusal, refusal, text } from './input.ts';
import { presentStatuses } from './present-statuses.ts';
import { parseQuery, wholeNumber } from './query.ts';
import { callerOf } from './caller.ts';
import type { PosCaller, PosQuery } from '../contracts/pos-calls.ts';

/**
 * ISO 8601 with an offset, as this interface writes times too. A `+` that a query string has turned into a space is
 * accepted.
 */
const instant = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d)(\.\d{1,9})?)?(?:Z|([ +-])(\d\d):?(\d\d))$/;

/** Undefined for anything but a real moment with its offset from UTC, from 1970 on. */
function parseInstant(text: string): Date | undefined {
  const match = instant.exec(text);
  if (!match) return undefined;
  const [, day = '', minute = '', second = '00', fraction = '', sign, hours = '00', minutes = '00'] = match;
  const local = new Date(`${day}T${minute}:${second}${fraction.slice(0, 4)}Z`);
  // A day that its month does not have would be taken for one of the next month.
  if (Number.isNaN(local.getTime()) || local.toISOString().slice(0, 10) !== day) return undefined;
  if (Number(hours) > 14 || Number(minutes) > 59) return undefined;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  const at = new Date(local.getTime() - offsetMs);
  return at.getTime() < 0 ? undefined : at;
}

const pageMax = 100;
const pageUsual = 50;

/** Each state by which a list can be asked for. */
const listStates: readonly ListState[] = [...presentStatuses, 'PROCESSING'];

export const transactionsQuery = z.strictObject({
  since: optional(text(40)).describe(
    'from this createTime on, when it was accepted: ISO 8601 with an offset, 2026-11-23T09:00:00+08:00',
  ),
  until: optional(text(40)).describe('before this createTime'),
  acquirer: optional(text(16)),
  batch: wholeNumber(1, 999_999).describe('the batch in which it is settled; with acquirer'),
  posId: optional(identifier),
  merchantId: optional(text(32)).describe('of this merchant, by its id in capabilities; of all if absent'),
  state: optional(oneOf(listStates)).describe('as tranStatus of an enquiry; PROCESSING: it runs now'),
  order: optional(oneOf(['newest', 'oldest'])).describe(
    'of acceptance. oldest: what has ended, and always a nextCursor, from which later ones are read',
  ),
  last: optional(oneOf(['true', 'false'])).describe('true: only the transaction that was accepted last'),
  limit: wholeNumber(1, pageMax).describe(`the most of one page, ${pageUsual} if absent`),
  cursor: optional(text(64)).describe('nextCursor of the page before, with the same other parameters'),
});

type Query = z.infer<typeof transactionsQuery>;

/** GET /sp/v1/transactions: the journal's transactions, in pages. */
export async function transactions(
  _body: unknown,
  parts: ApiParts,
  caller: PosCaller,
  asked: PosQuery,
): Promise<Answer> {
  const query = parseQuery(asked.query, transactionsQuery);
  if (isRefusal(query)) return refusalAnswer(400, query, undefined);
  const wanted = pageQuery(query, caller);
  if (isRefusal(wanted)) return refusalAnswer(400, wanted, undefined);
  const { acquirerId: asksFor, merchantId } = wanted;
  const unknown = merchantRefusal(merchantId, parts.capabilities.merchants ?? noMerchants);
  if (unknown) {
    const why = refusal('INVALID_PARAMETER', unknown.reason, '/merchantId', unknown.message);
    return refusalAnswer(422, why, undefined);
  }
  if (asksFor !== undefined && !(await parts.lists.acquirers()).includes(asksFor)) {
    const message = 'names no acquirer of this terminal, of now or of before';
    return refusalAnswer(422, refusal('INVALID_PARAMETER', 'acquirerUnknown', '/acquirer', message), undefined);
  }
  const mark = markOf(wanted);
  const from = query.cursor === undefined ? undefined : placeOf(query.cursor, mark);
  if (typeof from === 'object') return refusalAnswer(400, from, undefined);
  const reader = callerOf(caller);
  const page = await (query.last === 'true' ? lastOf(wanted, parts, reader) : parts.lists.page(wanted, from, reader));
  if (page === 'busy') return errorAnswer(503, 'ERROR', busy, { financialImpact: 'NONE' });
  const { items, next = wanted.order === 'oldest' ? from : undefined } = page;
  return {
    status: 200,
    body: {
      responseResult: 'SUCCESS',
      responseCode: 0,
      transactions: items.map((item) => listed(item, parts)),
      ...(next === undefined || query.last === 'true' ? {} : { nextCursor: cursorOf(next, mark) }),
    },
  };
}

const busy = { reason: 'readingBusy', message: 'too many callers wait for lists and reports' } as const;

/** A paired POS reads only its own transactions. */
function pageQuery(query: Query, caller: PosCaller): PageQuery | InputRefusal {
  const { batch, state, order = 'newest', limit = pageUsual, last } = query;
  if (batch !== undefined && query.acquirer === undefined)
    return refusal('INVALID_PARAMETER', 'fieldMissing', '/acquirer', 'is required with batch, which is its own number');
  if (last === 'true') {
    const other = (['order', 'limit', 'cursor'] as const).find((name) => query[name] !== undefined);
    if (other !== undefined)
      return refusal('INVALID_PARAMETER', 'fieldMisplaced', `/${other}`, 'can’t be given with last');
  }
  const [since, until] = [instantOf(query, 'since'), instantOf(query, 'until')];
  for (const each of [since, until]) if (each && isRefusal(each)) return each;
  if (since instanceof Date && until instanceof Date && since >= until)
    return refusal('INVALID_PARAMETER', 'fieldInvalid', '/until', 'must be later than since');
  const { posId = query.posId } = caller;
  return {
    order,
    limit: last === 'true' ? 1 : limit,
    ...(since instanceof Date ? { since } : {}),
    ...(until instanceof Date ? { until } : {}),
    ...(query.acquirer === undefined ? {} : { acquirerId: acquirerId(query.acquirer) }),
    ...(batch === undefined ? {} : { batch }),
    ...(posId === undefined ? {} : { posId }),
    ...(query.merchantId === undefined ? {} : { merchantId: query.merchantId }),
    ...(state === undefined ? {} : { state }),
  };
}

function instantOf(query: Query, name: 'since' | 'until'): Date | InputRefusal | undefined {
  const { [name]: text } = query;
  if (text === undefined) return undefined;
  const message = 'must be a time of ISO 8601 with its offset from UTC, like 2026-11-23T09:00:00+08:00';
  return parseInstant(text) ?? refusal('INVALID_PARAMETER', 'fieldInvalid', `/${name}`, message);
}

/** A page may have been cut short before it found one. */
async function lastOf(query: PageQuery, { lists }: ApiParts, reader: string): Promise<ListPage | 'busy'> {
  for (let from: number | undefined; ; ) {
    const page = await lists.page(query, from, reader);
    if (page === 'busy' || page.items.length > 0 || page.next === undefined) return page;
    from = page.next;
  }
}

/**
 * Always in shape A: it has every field, and the slips and the logo of shape B would make a page a thousand times as
 * long.
 */
export function listed(item: ListItem, parts: Pick<ApiParts, 'shop' | 'reprints'>): unknown {
  const terminalTransactionId = item.id;
  switch (item.kind) {
    case 'ended': {
      const { record } = item;
      return posResponse({ ...record, request: { ...record.request, shape: 'A' } }, parts, item);
    }
    case 'running':
      return { ...Object(runningAnswer(item, item.running).body), terminalTransactionId };
    case 'unreadable': {
      const { posId, messageId, reason: message } = item;
      const detail = { posId, messageId, financialImpact: 'UNKNOWN' } as const;
      const { body } = errorAnswer(503, 'DATABASE_ERROR', { reason: 'recordUnreadable', message }, detail);
      return { ...Object(body), terminalTransactionId };
    }
    default:
      return item satisfies never;
  }
}

/** The identity of the list: a cursor continues no other one. */
function markOf({ limit: _limit, ...query }: PageQuery): string {
  return createHash('sha256').update(JSON.stringify(query)).digest('hex').slice(0, 8);
}

function cursorOf(place: number, mark: string): string {
  return Buffer.from(`${place} ${mark}`).toString('base64url');
}

function placeOf(cursor: string, mark: string): number | InputRefusal {
  const [, place, own] = /^(\d{1,15}) ([0-9a-f]{8})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (place === undefined) return refusal('INVALID_PARAMETER', 'fieldInvalid', '/cursor', 'must be a nextCursor');
  const other = 'belongs to a list with other parameters';
  return own === mark ? Number(place) : refusal('INVALID_PARAMETER', 'fieldInvalid', '/cursor', other);
}
