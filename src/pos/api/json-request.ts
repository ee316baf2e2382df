import { keyFault } from '../../base/domain/json-keys.ts';
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

const [quote, backslash, comma, openBracket, openBrace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/**
 * Whether a JSON text may have more than so many values: each comma and each bracket outside of strings begins one. It
 * takes a small part of the time of a parser, which makes an object of each.
 */
export function exceedsValues(text: string, most: number): boolean {
  let count = 1;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === backslash) at += 1;
      else if (code === quote) isString = false;
    } else if (code === quote) isString = true;
    else if (code === comma || code === openBracket || code === openBrace) {
      count += 1;
      if (count > most) return true;
    }
  }
  return count > most;
}
