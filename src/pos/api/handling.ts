import { isOwnPosId } from '../../base/domain/identifiers.ts';
import { JournalError } from '../../payment/contracts/journal.ts';
import { UnreadableRecord } from '../../payment/records/record.ts';
import { type ApiParts, type Handler, refusalAnswer as notAcceptable } from './call.ts';
import { type Answer, errorAnswer } from './envelope.ts';
import { refusal } from './input.ts';
import { keyFault } from '../../base/domain/json-keys.ts';
import { parseJson } from './json.ts';
import type { Asked } from './query.ts';
import type { Sender } from './sender.ts';

/** Calls the handler of an admitted call, whichever way it came. `text`: the body; undefined for a GET. */
export async function handleBody(
  handler: Handler,
  text: string | undefined,
  parts: ApiParts,
  sender: Sender,
  asked: Asked,
): Promise<Answer> {
  if (text === undefined) return handler(undefined, parts, sender, asked).catch(unreadable);
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    const trouble = { reason: 'notJson', message: 'the body is not JSON' } as const;
    return errorAnswer(400, 'INVALID_PARAMETER', trouble, { financialImpact: 'NONE' });
  }
  // With an ambiguous key, it is not certain whose request this is.
  const fault = keyFault(text);
  if (fault) return notAcceptable(400, { result: 'INVALID_PARAMETER', errors: [fault] }, undefined);
  // The terminal makes its own calls internally, never over the network: such a name in a request is refused on any
  // path.
  if (namesTerminal(body)) {
    const message = 'is a name that is reserved for the terminal';
    return notAcceptable(400, refusal('INVALID_PARAMETER', 'posIdReserved', '/posId', message), body);
  }
  return handler(body, parts, sender, asked).catch(unreadable);
}

/** The record is damaged, missing, or written by a newer version: repeating the call would find no more. */
function unreadable(error: unknown): Answer {
  const isKnown = error instanceof UnreadableRecord || (error instanceof JournalError && error.code === 'archive');
  if (!isKnown) throw error;
  const { message } = error;
  return errorAnswer(503, 'DATABASE_ERROR', { reason: 'recordUnreadable', message }, { financialImpact: 'UNKNOWN' });
}

function namesTerminal(body: unknown): boolean {
  const { posId } = (body ?? {}) as { readonly posId?: unknown };
  return typeof posId === 'string' && isOwnPosId(posId);
}
