import * as z from 'zod';
import { acquirerId } from '../../base/domain/identifiers.ts';
import type { KindTotal } from '../../payment/events/settlement.ts';
import { optionLabel } from '../../payment/options/descriptions.ts';
import type { GroupTotal } from '../../payment/records/report.ts';
import { type ReportedBatch, reportFigures } from '../../payment/records/report-figures.ts';
import { type ApiParts, refusalAnswer } from './call.ts';
import type { Answer } from './pos-response.ts';
import { expectation, identifier, inputFaults, jsonObject, optional, text } from './input.ts';
import { JsonNumber } from '../contracts/pos-calls.ts';
import { digestOf, flag, notPossible, printAnswer } from './print.ts';
import { noReport, reportedFault, reportedPos } from './report.ts';
import { callerOf } from './caller.ts';
import type { PosCaller } from '../contracts/pos-calls.ts';

const batchNumber = z
  .instanceof(JsonNumber, { error: expectation('a number') })
  .refine(({ source }) => isBatchNumber(Number(source)), 'must be a whole number from 1 to 999999')
  .meta({ multipleOf: 1, minimum: 1 });

function isBatchNumber(batch: number): boolean {
  return Number.isInteger(batch) && batch >= 1 && batch <= 999_999;
}

export const reportPrintRequest = z.strictObject(
  {
    posId: identifier,
    messageId: identifier.describe('names this print: the same again is not printed again'),
    acquirer: optional(text(16)).describe('only of this acquirer'),
    merchantId: optional(text(32)).describe('only of this merchant, with its header'),
    batch: optional(batchNumber).describe('the batch of this number, closed or not; with acquirer'),
    wait: optional(flag).describe('false: it is not kept while the printer can’t print; true if absent'),
  },
  jsonObject,
);

/**
 * POST /sp/v1/report/print: the figures of GET /sp/v1/report on paper. Z for a batch that is closed, otherwise X. The
 * operator's menu is no caller.
 */
export async function printReport(
  body: unknown,
  parts: ApiParts,
  caller: Partial<Pick<PosCaller, 'posId' | 'address'>> = {},
): Promise<Answer> {
  const parsed = reportPrintRequest.safeParse(body);
  if (!parsed.success) {
    const errors = inputFaults(parsed.error, Object.keys(reportPrintRequest.shape));
    return refusalAnswer(400, { result: 'INVALID_PARAMETER', errors }, body);
  }
  const { posId, messageId, acquirer, merchantId, wait: waits = true } = parsed.data;
  const batch = parsed.data.batch && Number(parsed.data.batch.source);
  const fault = reportedFault({ acquirer, batch, merchantId }, parts);
  if (fault) return refusalAnswer(fault.status, fault.refusal, body);
  const { paper } = parts.counter;
  if (paper.absence) return notPossible(paper.absence, parsed.data);
  const onlyPosId = reportedPos(caller, parts);
  const read = await parts.reports.read(
    acquirer === undefined ? undefined : acquirerId(acquirer),
    batch,
    { posId: onlyPosId, merchantId },
    callerOf(caller),
  );
  if (typeof read === 'string') return noReport(read, { posId, messageId });
  const digest = digestOf('REPORT', { acquirer, batch, merchantId, waits });
  const printed = await paper.printReport({
    posId,
    messageId,
    digest,
    waits,
    onlyPosId,
    merchantId,
    ...figuresOf(read),
  });
  return printAnswer(printed, parsed.data);
}

/** The figures as they are laid out. */
function figuresOf(batches: readonly ReportedBatch[]) {
  const { kind, methods, brands, tills, merchants, cashiers, options, cashback, cash, drawerSales, drawerOpenings } =
    reportFigures(batches);
  return {
    kind,
    batches: batches.map(
      ({
        acquirerId: acquirer,
        merchantId: _merchant,
        items: _items,
        cashReturns: _returns,
        drawerSales: _sales,
        drawerOpenings: _openings,
        totals,
        openAuths,
        voids,
        unresolved,
        ...rest
      }) => ({
        ...rest,
        acquirer,
        totals: totals.map(totalOf),
        openAuths: openAuths.map(totalOf),
        voids: voids.map(totalOf),
        unresolved: unresolved.map(totalOf),
      }),
    ),
    methods: methods.map(sumOf),
    brands: brands.map(sumOf),
    tills: tills.map(sumOf),
    merchants: merchants.map(sumOf),
    cashiers: cashiers.map(sumOf),
    options: options.map(({ name, currency, count, minor }) => ({
      label: optionLabel(name),
      count,
      total: { minor, currency },
    })),
    cashback: cashback.map(({ currency, count, minor }) => ({ count, total: { minor, currency } })),
    cash,
    drawerSales,
    drawerOpenings,
  };
}

function sumOf({ name, currency, sales, refunds, tipMinor }: GroupTotal) {
  return {
    name,
    sales: { count: sales.count, total: { minor: sales.minor, currency } },
    refunds: { count: refunds.count, total: { minor: refunds.minor, currency } },
    tips: { minor: tipMinor, currency },
  };
}

function totalOf({ kind, count, currency, totalMinor }: KindTotal) {
  return { kind, count, total: { minor: BigInt(totalMinor), currency } };
}
