import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { type Answer, errorAnswer } from './pos-response.ts';
import { identifier, inputFaults, optional, text } from './input.ts';

/** The query of GET /sp/v1/events. */
export const eventsQuery = z.object({
  posId: optional(identifier).describe('only transactions of this POS, and idle'),
  lastEventId: optional(text(64)).describe('for a client that can’t send Last-Event-ID; the header takes precedence'),
});

export function parseEventsQuery({ url = '' }: IncomingMessage): z.infer<typeof eventsQuery> | Answer {
  const parameters = new URLSearchParams(url.replace(/^[^?]*/, ''));
  const twice = Object.keys(eventsQuery.shape).find((name) => parameters.getAll(name).length > 1);
  if (twice !== undefined) {
    const fault = { pointer: `/${twice}`, message: 'stands twice', reason: 'keyAmbiguous' } as const;
    const refusal = { reason: fault.reason, message: `${twice} ${fault.message}` };
    return errorAnswer(400, 'INVALID_PARAMETER', refusal, { financialImpact: 'NONE', errors: [fault] });
  }
  const parsed = eventsQuery.safeParse(Object.fromEntries(parameters));
  if (parsed.success) return parsed.data;
  const errors = inputFaults(parsed.error);
  const [first] = errors;
  const message = first ? `${first.pointer.slice(1)} ${first.message}` : 'the query is not acceptable';
  const reason = first?.reason ?? 'fieldInvalid';
  return errorAnswer(400, 'INVALID_PARAMETER', { reason, message }, { financialImpact: 'NONE', errors });
}
