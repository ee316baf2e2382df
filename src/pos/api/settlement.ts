import { createHash } from 'node:crypto';
import * as z from 'zod';
import { majorNumber } from '../../base/domain/amount.ts';
import { acquirerId } from '../../base/domain/identifiers.ts';
import { responseCode } from '../../base/domain/reason.ts';
import type { JournalledSettlement, KindTotal, RejectedAdvice, SettledBatch } from '../../payment/events/settlement.ts';
import { merchantRefusal, noMerchants } from '../../payment/transaction/merchants.ts';
import { type ApiParts, terminalRefusalAnswer, refusalAnswer } from './call.ts';
import { type Answer, reportedReason } from './pos-response.ts';
import { identifier, inputFaults, type InputRefusal, jsonObject, optional, refusal, text } from './input.ts';
import type { PosCaller } from '../contracts/pos-calls.ts';

const merchantText = text(32).describe('only the acquirers of this merchant, by its id in capabilities; all if absent');

export const settlementRequest = z.strictObject(
  { posId: identifier, messageId: identifier, acquirer: optional(text(16)), merchantId: optional(merchantText) },
  jsonObject,
);

/** POST /sp/v1/settlement: closes the open batch of one acquirer, or of all. */
export async function settlement(
  body: unknown,
  parts: ApiParts,
  { connection }: Partial<PosCaller> = {},
): Promise<Answer> {
  const parsed = settlementRequest.safeParse(body);
  if (!parsed.success)
    return refusalAnswer(
      400,
      { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error, Object.keys(settlementRequest.shape)) },
      body,
    );
  const { posId, messageId, acquirer, merchantId } = parsed.data;
  const fault = settledFault({ acquirer, merchantId }, parts);
  if (fault) return refusalAnswer(422, fault, body);
  // The merchant is included only if given, so that digests of an older version's requests stay the same.
  const meaning = ['SETTLEMENT', acquirer ?? '', ...(merchantId === undefined ? [] : [merchantId])];
  const digest = createHash('sha256').update(JSON.stringify(meaning)).digest('hex');
  const request = {
    posId,
    messageId,
    digest,
    ...(acquirer === undefined ? {} : { acquirerId: acquirerId(acquirer) }),
    ...(merchantId === undefined ? {} : { merchantId }),
  };
  const settled = parts.terminal
    .settle(request)
    .then((answer) =>
      answer.kind === 'ended'
        ? { status: 200, body: settlementResponse(answer.settlement) }
        : terminalRefusalAnswer(answer, request),
    );
  return parts.waiting.answer('settlement', request, connection, settled);
}

/**
 * Why the request is refused: no such acquirer or merchant, or not an acquirer of that merchant; undefined if it is
 * valid.
 */
function settledFault(
  { acquirer, merchantId }: Pick<z.infer<typeof settlementRequest>, 'acquirer' | 'merchantId'>,
  { capabilities: { profiles, merchants = noMerchants } }: Pick<ApiParts, 'capabilities'>,
): InputRefusal | undefined {
  const unknown = merchantRefusal(merchantId, merchants);
  if (unknown) return refusal('INVALID_PARAMETER', unknown.reason, '/merchantId', unknown.message);
  const own = profiles.filter(({ id }) => merchantId === undefined || merchants.ofAcquirer.get(id) === merchantId);
  if (acquirer === undefined || own.some(({ id }) => id === acquirer)) return undefined;
  const whose = merchantId === undefined ? 'this terminal' : 'this merchant';
  const message = `${whose} has ${own.map(({ id }) => id).join(', ')}`;
  return refusal('INVALID_PARAMETER', 'acquirerUnknown', '/acquirer', message);
}

/** SUCCESS if every batch was settled. A failed batch stays open and has a message. */
export function settlementResponse({
  id,
  posId,
  messageId,
  merchantId,
  results = [],
}: JournalledSettlement): Record<string, unknown> {
  const failed = results.filter(({ result }) => result === 'FAILED');
  const result = failed.length === 0 ? 'SUCCESS' : 'ERROR';
  const message = failed.map(({ acquirerId: id, reason }) => `${id}: ${reason}`).join('; ');
  return {
    messageId,
    posId,
    responseResult: result,
    responseCode: responseCode(result),
    terminalTransactionId: id,
    ...(merchantId === undefined ? {} : { merchantId }),
    ...(failed.length === 0 ? {} : { message, financialImpact: 'NONE', ...reportedReason('settlementIncomplete') }),
    settlements: results.map(batchResponse),
  };
}

function batchResponse({
  acquirerId: id,
  mid,
  tid,
  merchantId,
  batch,
  result,
  reason,
  totals,
  rejected = [],
  unresolved = [],
  openAuths = [],
  empty,
  confirmed,
}: SettledBatch): Record<string, unknown> {
  return {
    acquirer: id,
    acquirerMid: mid,
    acquirerTid: tid,
    ...(merchantId === undefined ? {} : { merchantId }),
    batch,
    result,
    ...(reason === undefined ? {} : { message: reason }),
    ...(empty ? { empty } : {}),
    ...(confirmed ? { confirmedByOperator: true } : {}),
    totals: totals.map(kindTotal),
    ...(unresolved.length === 0 ? {} : { unresolved: unresolved.map(kindTotal) }),
    ...(openAuths.length === 0 ? {} : { openAuths: openAuths.map(kindTotal) }),
    ...(rejected.length === 0 ? {} : { rejectedAdvices: rejected.map(rejectedAdvice) }),
  };
}

/** As in settlements and reports. */
export function kindTotal({ kind, currency, count, totalMinor }: KindTotal) {
  const totalAmount = majorNumber({ minor: BigInt(totalMinor), currency });
  return { transactionType: kind, currency, count, totalAmount };
}

/**
 * An advice that was reported to the POS as approved before its host rejected it. It is in no total, and waits for the
 * operator.
 */
function rejectedAdvice({ id, kind, currency, amountMinor, responseCode: hostCode, afterSettlement }: RejectedAdvice) {
  return {
    terminalTransactionId: id,
    transactionType: kind,
    currency,
    amount: majorNumber({ minor: BigInt(amountMinor), currency }),
    hostCode,
    ...(afterSettlement ? { message: 'accepted by the host after its sale was settled without it' } : {}),
  };
}
