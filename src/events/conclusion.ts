import { type ResponseResult, responseCode } from '../domain/response-code.ts';

/** How the transaction ended, for the POS and the customer. */
export interface Conclusion {
  readonly outcome: 'approved' | 'declined' | 'error';
  readonly result: ResponseResult;
  readonly code: number;
  /** One sentence for the POS; empty for SUCCESS. */
  readonly message: string;
}

/** A conclusion with outcome `error`. */
export function failure(result: ResponseResult, message: string): Conclusion {
  return { outcome: 'error', result, code: responseCode(result), message };
}
