import { keyFault } from '../../base/domain/json-keys.ts';
import { exceedsValues } from '../../base/domain/json-values.ts';
import { refusalAnswer } from './call.ts';
import { parseJson } from './input.ts';
import { type Answer, errorAnswer } from './pos-response.ts';

const notJson = { reason: 'notJson', message: 'the body is not JSON' } as const;

/** A print job of 200 lines has 1,200: each line is an object with a type, a text and its style. */
const valuesMax = 2_000;
const tooMany = { reason: 'bodyTooLarge', message: `the body has more than ${valuesMax} values` } as const;

/** The fields of a request that is JSON, with its numbers as they are written; or the answer that refuses it. */
export function readJsonRequest(text: string): { readonly body: unknown } | { readonly refused: Answer } {
  if (exceedsValues(text, valuesMax))
    return { refused: errorAnswer(413, 'INVALID_PARAMETER', tooMany, { financialImpact: 'NONE' }) };
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    return { refused: errorAnswer(400, 'INVALID_PARAMETER', notJson, { financialImpact: 'NONE' }) };
  }
  // With an ambiguous key, it is not certain whose request this is.
  const fault = keyFault(text);
  if (!fault) return { body };
  return { refused: refusalAnswer(400, { result: 'INVALID_PARAMETER', errors: [fault] }, undefined) };
}
