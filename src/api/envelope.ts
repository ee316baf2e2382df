import { type FinancialImpact, type ResponseResult, responseCode } from '../domain/response-code.ts';
import type { InputFault } from './pos-request.ts';

/** An HTTP answer before it is bytes. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ErrorDetail {
  readonly posId?: string;
  readonly messageId?: string;
  readonly financialImpact?: FinancialImpact;
  /** False where the same request again gets the same answer, until somebody has seen to it. */
  readonly retryable?: boolean;
  readonly errors?: readonly InputFault[];
  /** Whose transaction runs, when the terminal is busy. */
  readonly running?: { readonly posId: string; readonly messageId: string };
  readonly state?: string;
  /** Where in that state: 'presentingCard'. */
  readonly step?: string;
  /** The transaction kinds that could be asked for instead. */
  readonly possible?: readonly string[];
}

/** The body as it goes over the wire; nothing where there is none. */
export function bodyOf(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

export const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** The one envelope of everything that is not a transaction's outcome. Never echoes a value that was sent. */
export function errorAnswer(status: number, result: ResponseResult, message: string, detail: ErrorDetail = {}): Answer {
  return { status, body: { responseResult: result, responseCode: responseCode(result), message, ...detail } };
}
