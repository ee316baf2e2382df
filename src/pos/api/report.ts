import * as z from 'zod';
import { majorNumber } from '../../base/domain/amount.ts';
import { acquirerId } from '../../base/domain/identifiers.ts';
import type { OptionTotal } from '../../payment/records/option-totals.ts';
import type { GroupTotal } from '../../payment/records/report.ts';
import { type ReportedBatch, reportFigures } from '../../payment/records/report-figures.ts';
import { merchantRefusal, noMerchants, takersFor } from '../../payment/transaction/merchants.ts';
import { type ApiParts, type Identity, refusalAnswer } from './call.ts';
import { type Answer, errorAnswer } from './pos-response.ts';
import { isRefusal, oneOf, optional, type InputRefusal, refusal, text } from './input.ts';
import { parseQuery, wholeNumber } from './query.ts';
import { reportCsv } from './report-csv.ts';
import { callerOf } from './caller.ts';
import type { PosCaller, PosQuery } from '../contracts/pos-calls.ts';
import { kindTotal } from './settlement.ts';

export const reportQuery = z.strictObject({
  acquirer: optional(text(16)).describe('only of this acquirer'),
  merchantId: optional(text(32)).describe('only of this merchant, by its id in capabilities'),
  batch: wholeNumber(1, 999_999).describe('the batch of this number, closed or not; with acquirer'),
  format: optional(oneOf(['json', 'csv'])).describe('csv: also as text of RFC 4180'),
});

/** GET /sp/v1/report: the content of the open batches, without closing them; or of a closed batch. */
export async function report(_body: unknown, parts: ApiParts, caller: PosCaller, asked: PosQuery): Promise<Answer> {
  const query = parseQuery(asked.query, reportQuery);
  if (isRefusal(query)) return refusalAnswer(400, query, undefined);
  const { acquirer, batch, merchantId, format } = query;
  const fault = reportedFault({ acquirer, batch, merchantId }, parts);
  if (fault) return refusalAnswer(fault.status, fault.refusal, undefined);
  const onlyPosId = reportedPos(caller, parts);
  const read = await parts.reports.read(
    acquirer === undefined ? undefined : acquirerId(acquirer),
    batch,
    { posId: onlyPosId, merchantId },
    callerOf(caller),
  );
  if (typeof read === 'string') return noReport(read, {});
  return {
    status: 200,
    body: {
      ...reportBody(read, format === 'csv'),
      ...(merchantId === undefined ? {} : { onlyMerchantId: merchantId }),
      ...(onlyPosId === undefined ? {} : { onlyPosId }),
    },
  };
}

/** A paired POS gets what is its own, unless it has the right to more. Undefined: everything. */
export function reportedPos(
  { posId }: Partial<Pick<PosCaller, 'posId'>>,
  { reportsAll }: ApiParts,
): string | undefined {
  return posId !== undefined && reportsAll?.(posId) === true ? undefined : posId;
}

const notRead = {
  busy: { status: 503, result: 'ERROR', reason: 'readingBusy', message: 'too many callers wait for lists and reports' },
  unknown: {
    status: 404,
    result: 'NOT_FOUND',
    reason: 'batchUnknown',
    message: 'nothing is in a batch of this number',
  },
} as const;

/** The answer where a report could not be made. */
export function noReport(why: keyof typeof notRead, identity: Partial<Identity>): Answer {
  const { status, result, ...refusal } = notRead[why];
  return errorAnswer(status, result, refusal, { ...identity, financialImpact: 'NONE' });
}

/** Why there is no report of that batch; undefined if there is one. */
export function reportedFault(
  {
    acquirer,
    batch,
    merchantId,
  }: Readonly<Record<'acquirer' | 'merchantId', string | undefined>> & { readonly batch: number | undefined },
  { capabilities: { profiles, merchants = noMerchants } }: Pick<ApiParts, 'capabilities'>,
): { readonly status: number; readonly refusal: InputRefusal } | undefined {
  if (batch !== undefined && acquirer === undefined) {
    const message = 'is required with batch, which is its own number';
    return { status: 400, refusal: refusal('INVALID_PARAMETER', 'fieldMissing', '/acquirer', message) };
  }
  const unknown = merchantRefusal(merchantId, merchants);
  if (unknown)
    return {
      status: 422,
      refusal: refusal('INVALID_PARAMETER', unknown.reason, '/merchantId', unknown.message),
    };
  const own = takersFor(merchantId, profiles, merchants);
  if (acquirer === undefined || own.some(({ id }) => id === acquirer)) return undefined;
  const message = `must be one of ${own.map(({ id }) => id).join(', ')}`;
  return { status: 422, refusal: refusal('INVALID_PARAMETER', 'acquirerUnknown', '/acquirer', message) };
}

function reportBody(batches: readonly ReportedBatch[], asCsv: boolean) {
  const { sums, methods, brands, tills, merchants, cashiers, options, cashback, cash, drawerSales, drawerOpenings } =
    reportFigures(batches);
  const groups = {
    total: sums,
    method: methods,
    paymentMethod: brands,
    posId: tills,
    cashierId: cashiers,
    ...(merchants.length === 0 ? {} : { merchantId: merchants }),
  };
  return {
    responseResult: 'SUCCESS',
    responseCode: 0,
    batches: batches.map(reportedBatch),
    ...Object.fromEntries(Object.entries(groups).map(([grouping, totals]) => [grouping, totals.map(groupTotal)])),
    ...(options.length === 0 ? {} : { options: options.map(optionTotal) }),
    cashBack: cashback.map(({ currency, count, minor }) => ({
      currency,
      count,
      amount: majorNumber({ minor, currency }),
    })),
    cash: cash.map((each) => ({ currency: each.currency, amount: majorNumber(each) })),
    drawerSales,
    drawerOpenings,
    ...(asCsv ? { csv: reportCsv(groups, batches) } : {}),
  };
}

function reportedBatch(reported: ReportedBatch) {
  const {
    acquirerId: acquirer,
    merchantId,
    batch,
    isOpen,
    totals,
    openAuths,
    voids,
    unresolved,
    unreadable,
  } = reported;
  return {
    acquirer,
    ...(merchantId === undefined ? {} : { merchantId }),
    batch,
    isOpen,
    totals: totals.map(kindTotal),
    openAuths: openAuths.map(kindTotal),
    voids: voids.map(kindTotal),
    unresolved: unresolved.map(kindTotal),
    unreadable,
  };
}

function optionTotal({ name, currency, count, minor }: OptionTotal) {
  return { name, currency, count, amount: majorNumber({ minor, currency }) };
}

function groupTotal({ name, currency, sales, refunds, tipMinor, finalMinor, refundedMinor }: GroupTotal) {
  const major = (minor: bigint) => majorNumber({ minor, currency });
  return {
    name,
    currency,
    salesCount: sales.count,
    salesAmount: major(sales.minor),
    refundsCount: refunds.count,
    refundsAmount: major(refunds.minor),
    tipAmount: major(tipMinor),
    finalAmount: major(finalMinor),
    refundedAmount: major(refundedMinor),
  };
}
