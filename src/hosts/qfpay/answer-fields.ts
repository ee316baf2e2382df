import { type Fields, isFields } from './fields.ts';
import type { HttpAnswer } from './link.ts';
import type { QfpayOptions } from './options.ts';
import { knowsTerminal, meaningOf, signatureRefused } from './respcd.ts';
import { fitsAnswer, hasSignedText } from './signature.ts';

/** The contents of an HTTP answer. */
export interface AnswerFields {
  /** Its JSON object; absent if its origin is not proved. */
  readonly fields?: Fields;
  /** Whether the host accepts this terminal, if the answer shows it. */
  readonly recognition?: { readonly hostCode: string; readonly isKnown: boolean };
}

type ProofOptions = Pick<QfpayOptions, 'clientKey' | 'answerSignature'>;

/** Reads the body of an answer and proves its origin. */
export function readAnswer(answer: HttpAnswer, options: ProofOptions): AnswerFields {
  const fields = answer.status === 200 ? objectIn(answer.body) : undefined;
  if (!fields) return {};
  const isProved = proves(answer, fields, options);
  const respcd = meaningOf(fields['respcd']);
  const isKnown = respcd && knowsTerminal(respcd);
  // With the wrong key here, the host's own signature does not fit: the warning needs no proof.
  const isStated = isKnown === false || (isKnown === true && isProved);
  const isRead = isProved || (respcd?.code === signatureRefused && options.answerSignature !== 'required');
  return {
    // A host that has refused a signature may sign its answer with the key that it has. Without a signature the answer
    // would be accepted, so this one proves no less.
    ...(isRead ? { fields } : {}),
    ...(respcd && isStated ? { recognition: { hostCode: respcd.code, isKnown } } : {}),
  };
}

function objectIn(body: Uint8Array): Fields | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Without a signature, or with one whose verification is not documented, only TLS proves the origin. The published page
 * does not state that a signature is always present. If every enquiry's list were refused, every unknown payment would
 * stay undecided, and all wallets would stop.
 */
function proves({ signature, body }: HttpAnswer, fields: Fields, options: ProofOptions): boolean {
  const { clientKey, answerSignature = 'verified' } = options;
  if (signature !== undefined && fitsAnswer(signature, body, fields, clientKey)) return true;
  const isUnsigned = signature === undefined || !hasSignedText(fields);
  return isUnsigned && answerSignature !== 'required';
}
