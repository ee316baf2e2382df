import { isOwnPosId } from '../../base/domain/identifiers.ts';
import type { Caller, CallRules, OverBudget, RequestAuthenticator } from '../pairing/request-authenticator.ts';
import type { SignedCall } from '../pairing/signed-call.ts';
import { type Answer, bodyOf, errorAnswer } from './pos-response.ts';

/** An admitted call, with the function that signs its answer; or the answer that refuses it. */
export type Admission = Admitted | { readonly refused: Answer };

export interface Admitted {
  readonly signed: (answer: Answer) => Answer;
  /** The key that signed the call, if points of sale are paired. */
  readonly key?: Pick<Caller, 'posId' | 'keyId' | 'createdS' | 'expiresAt'>;
}

/** Calls without authentication: pairing itself, and the document that describes it. Files need none either. */
export const openPaths: ReadonlySet<string> = new Set(['/sp/v1/pairing', '/sp/v1/pairing/reveal', '/openapi.json']);

const unsigned: Admission = { signed: (answer) => answer };

/**
 * Authenticates a call. Without a key no call is admitted. `body`: unchanged, as received.
 */
export async function admit(
  authenticator: RequestAuthenticator | undefined,
  call: Omit<SignedCall, 'body'>,
  body: string | undefined,
  rules?: CallRules,
): Promise<Admission> {
  const [path = ''] = call.target.split('?');
  if (!authenticator || openPaths.has(path)) return unsigned;
  const caller = await authenticator.authenticate({ ...call, body: body ?? '' }, rules);
  if ('refused' in caller) return unknown(caller.refused);
  const signAnswer = (answer: Answer): Answer => {
    const signature = caller.sign(answer.status, bodyOf(answer.body) ?? '');
    return { ...answer, headers: { ...answer.headers, ...signature } };
  };
  if ('spent' in caller) return { refused: signAnswer(overBudget(caller, path)) };
  // An older version may have paired such a name.
  if (isOwnPosId(caller.posId))
    return unknown('this key belongs to a name that is reserved for the terminal: pair again');
  return { signed: signAnswer, key: caller };
}

function unknown(message: string): Admission {
  return { refused: errorAnswer(401, 'ERROR', { reason: 'notPaired', message }, { financialImpact: 'NONE' }) };
}

/** Calls whose request may have been carried out already, or may be in progress. */
const moneyPaths: ReadonlySet<string> = new Set([
  '/sp/v1/payment',
  '/sp/v1/enquiry',
  '/sp/v1/cancel',
  '/sp/v1/settlement',
]);

/** RFC 6585, 4; Retry-After is in whole seconds (RFC 9110, 10.2.3). */
function overBudget({ spent: message, pauseMs }: OverBudget, path: string): Answer {
  const financialImpact = moneyPaths.has(path) ? 'UNKNOWN' : 'NONE';
  const answer = errorAnswer(429, 'ERROR', { reason: 'callBudgetSpent', message }, { financialImpact });
  return { ...answer, headers: { 'retry-after': String(Math.ceil(pauseMs / 1_000)) } };
}
