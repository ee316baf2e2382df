import { type Reason, type ResponseResult, responseCode } from '../../base/domain/reason.ts';

/** How the transaction ended, for the POS and the customer. */
export interface Conclusion {
  readonly outcome: 'approved' | 'declined' | 'error';
  readonly result: ResponseResult;
  readonly code: number;
  /** One sentence for the POS; empty for SUCCESS. */
  readonly message: string;
  /** Absent for SUCCESS only. */
  readonly reason?: Reason;
  /** The code of a card's refusal before anything was sent, by a reader that has the codes of its company. */
  readonly hostCode?: string;
}

/** A conclusion with outcome `error`. */
export function failure(result: ResponseResult, reason: Reason, message: string): Conclusion {
  return { outcome: 'error', result, code: responseCode(result), message, reason };
}
