import { keyFault } from '../../base/domain/json-keys.ts';
import { refusalAnswer } from './call.ts';
import { parseJson } from './input.ts';
import { type Answer, errorAnswer } from './pos-response.ts';

const notJson = { reason: 'notJson', message: 'the body is not JSON' } as const;

/** The fields of a request that is JSON, with its numbers as they are written; or the answer that refuses it. */
export function readJsonRequest(text: string): { readonly body: unknown } | { readonly refused: Answer } {
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
