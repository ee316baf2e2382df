import { type ResponseResult, responseCode } from '../domain/response-code.ts';

/** How the transaction ended, for the POS and the customer. */
export interface Conclusion {
  readonly outcome: 'approved' | 'declined' | 'error';
  readonly result: ResponseResult;
  readonly code: number;
  /** One sentence for the POS; empty for SUCCESS. */
  readonly message: string;
  /** Set if neither customer nor merchant nor POS ended it, but the stop of the terminal. */
  readonly cause?: 'restart';
}

/** A conclusion with outcome `error`. */
export function failure(result: ResponseResult, message: string): Conclusion {
  return { outcome: 'error', result, code: responseCode(result), message };
}
