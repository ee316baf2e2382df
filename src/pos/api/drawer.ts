import * as z from 'zod';
import { type ApiParts, terminalRefusalAnswer, refusalAnswer } from './call.ts';
import { cardNumberFault } from './card-number-fault.ts';
import { type Answer, errorAnswer } from './pos-response.ts';
import { identifier, inputFaults, jsonObject, optional, printableText } from './input.ts';

export const drawerRequest = z.strictObject(
  {
    posId: identifier,
    messageId: identifier.describe('names this opening: the same again gives no second pulse'),
    cashierId: optional(printableText(32)).describe('who opens it, for the record'),
  },
  jsonObject,
);

/** POST /sp/v1/drawer/open: opens the cash drawer without a payment. The terminal records who did. */
export async function openDrawer(body: unknown, parts: ApiParts): Promise<Answer> {
  const parsed = drawerRequest.safeParse(body);
  if (!parsed.success) {
    const errors = inputFaults(parsed.error, Object.keys(drawerRequest.shape));
    return refusalAnswer(400, { result: 'INVALID_PARAMETER', errors }, body);
  }
  const { posId, messageId, cashierId } = parsed.data;
  const fault = cardNumberFault({ cashierId }, parts);
  if (fault) return refusalAnswer(422, fault, body);
  const { drawer } = parts.counter;
  const opened = await drawer.open(parsed.data);
  if (opened === 'otherRequest') return terminalRefusalAnswer({ kind: 'otherRequest' }, parsed.data);
  if (opened !== 'opened') {
    const status = opened.reason === 'drawerNotAllowed' ? 422 : 503;
    return errorAnswer(status, 'ERROR', opened, { posId, messageId, financialImpact: 'NONE' });
  }
  const more = {
    ...(cashierId === undefined ? {} : { cashierId }),
    ...(drawer.fault === undefined ? {} : { printFault: drawer.fault }),
  };
  return { status: 200, body: { posId, messageId, responseResult: 'SUCCESS', responseCode: 0, ...more } };
}
