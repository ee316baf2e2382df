import { type Reason, reasons, type Trouble } from '../../base/domain/reason.ts';
import { type FinancialImpact, type ResponseResult, responseCode } from '../../base/domain/response-code.ts';
import type { InputFault } from './input.ts';

/** An HTTP answer before serialization. */
export interface Answer {
  readonly status: number;
  /** Bytes are sent as they are, with a Content-Type among the headers; anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ErrorDetail {
  readonly posId?: string;
  readonly messageId?: string;
  readonly financialImpact?: FinancialImpact;
  readonly errors?: readonly InputFault[];
  /** The owner of the running transaction, if the terminal is busy. */
  readonly running?: { readonly posId: string; readonly messageId: string };
  readonly state?: string;
  /** The step of that state: 'presentingCard'. */
  readonly step?: string;
  /** What the transaction became that it is too late for. */
  readonly transaction?: Readonly<Record<string, unknown>>;
  /** The transaction kinds that are possible instead. */
  readonly possible?: readonly string[];
}

/** The body as sent; undefined if there is none. */
export function bodyOf(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

export const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** The envelope of all answers other than a transaction's outcome. It never repeats a value of the request. */
export function errorAnswer(
  status: number,
  result: ResponseResult,
  { reason, message }: Trouble,
  detail: ErrorDetail = {},
): Answer {
  return {
    status,
    body: {
      responseResult: result,
      responseCode: responseCode(result),
      message,
      ...toldReason(reason, detail.financialImpact),
      ...detail,
    },
  };
}

/**
 * What every answer that is not SUCCESS tells of its reason. A newer version may have recorded one that is unknown here.
 * While money may have moved, nothing is to be repeated, whatever the reason: the POS enquires.
 */
export function toldReason(recorded: Reason, impact: FinancialImpact = 'NONE') {
  const reason = Object.hasOwn(reasons, recorded) ? recorded : 'unspecified';
  const { retryable, text } = reasons[reason];
  const isOpen = impact === 'UNKNOWN' || impact === 'REVERSAL_PENDING';
  return { reason, retryable: isOpen && retryable !== 'CALL_OPERATOR' ? ('ENQUIRE' as const) : retryable, text };
}
