import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { PrintOutcome } from '../peripherals/print-queue.ts';
import { printerRefusals } from '../peripherals/printer-refusal.ts';
import type { PrintStatus } from '../../base/domain/print-status.ts';
import { type Refusal, responseCode, type ResponseResult } from '../../base/domain/reason.ts';
import type { PrinterFault } from '../../base/ports/receipt-printer.ts';
import { type ApiParts, type Identity, terminalRefusalAnswer, refusalAnswer } from './call.ts';
import { type Answer, errorAnswer, reportedReason } from './pos-response.ts';
import {
  expectation,
  identifier,
  inputFaults,
  jsonObject,
  oneOf,
  optional,
  refusal,
  shownText,
  text,
} from './input.ts';

const linesMax = 200;
/** Limit of each kind that costs more to draw than text. */
const drawnMax = { qr: 4, picture: 2, logo: 2 } as const;

export const flag = z.boolean({ error: expectation('true or false') });
const style = {
  bold: flag.optional(),
  size: oneOf(['normal', 'double']).optional().describe('double: twice as wide and as high'),
};
const line = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('text'),
      text: shownText(256).describe('wrapped at the end of the paper; empty: a blank line'),
      align: oneOf(['left', 'center', 'right']).optional(),
      ...style,
    }),
    z.strictObject({
      type: z.literal('columns'),
      left: shownText(128),
      right: shownText(128).describe('at the right edge of the same line, or of the next one'),
      ...style,
    }),
    z.strictObject({ type: z.literal('rule').describe('a line from edge to edge') }),
    z.strictObject({ type: z.literal('qr'), text: text(512).min(1, 'must not be empty') }),
    z.strictObject({
      type: z.literal('picture'),
      png: text(48_000)
        .regex(/^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/, 'must be a data: URL of a PNG picture in base64')
        .describe('a data: URL: at most 200,000 pixels; made smaller where the paper is narrower'),
    }),
    z.strictObject({ type: z.literal('logo').describe('the shop’s logo, if the terminal has one') }),
    z.strictObject({ type: z.literal('cut').describe('what follows is another piece of paper') }),
  ],
  { error: expectation('an object with type text, columns, rule, qr, picture, logo or cut') },
);

export const printRequest = z.strictObject(
  {
    posId: identifier,
    messageId: identifier.describe('names this job: the same again is not printed again'),
    lines: z
      .array(line, { error: expectation('an array') })
      .min(1, 'must not be empty')
      .max(linesMax, `must have at most ${linesMax} lines`),
    wait: optional(flag).describe('false: it is not kept while the printer can’t print; true if absent'),
  },
  jsonObject,
);

/** POST /sp/v1/print: prints a till's text, after the waiting receipts. */
export async function print(body: unknown, { counter: { paper } }: ApiParts): Promise<Answer> {
  const parsed = printRequest.safeParse(body);
  if (!parsed.success) {
    const errors = inputFaults(parsed.error, Object.keys(printRequest.shape));
    return refusalAnswer(400, { result: 'INVALID_PARAMETER', errors }, body);
  }
  const { posId, messageId, lines, wait: waits = true } = parsed.data;
  for (const [type, most] of Object.entries(drawnMax)) {
    if (lines.filter((each) => each.type === type).length <= most) continue;
    const message = `must have at most ${most} of type ${type}`;
    return refusalAnswer(400, refusal('INVALID_PARAMETER', 'fieldInvalid', '/lines', message), body);
  }
  if (paper.refusal) return notPossible(paper.refusal, parsed.data);
  const printed = await paper.print({ posId, messageId, digest: digestOf('PRINT', { lines, waits }), waits, lines });
  if ('reason' in printed) {
    const { reason, pointer, message } = printed;
    return refusalAnswer(422, refusal('INVALID_PARAMETER', reason, pointer, message), body);
  }
  return printAnswer(printed, parsed.data);
}

/** The digest of a job: the same name with another digest is another request. */
export function digestOf(call: string, asked: object): string {
  return createHash('sha256')
    .update(JSON.stringify([call, asked]))
    .digest('hex');
}

/** The answer if this terminal can never print the request. */
export function notPossible(refusal: Refusal, identity: Identity): Answer {
  if (refusal.reason === 'printerNotConfigured') {
    return answerOf(503, 'ERROR', identity, { printStatus: 'NOT_PRINTED' }, refusal);
  }
  const { posId, messageId } = identity;
  return errorAnswer(422, 'ERROR', refusal, { posId, messageId, financialImpact: 'NONE' });
}

const busy: Refusal = { reason: 'printerBusy', message: 'the printer is at work: ask again' };
const full: Refusal = { reason: 'printQueueFull', message: 'too many jobs wait for the printer' };

export function printAnswer(outcome: PrintOutcome, identity: Identity): Answer {
  switch (outcome.kind) {
    case 'printed':
      return answerOf(200, 'SUCCESS', identity, { printStatus: 'PRINTED' });
    case 'waiting': {
      const { fault } = outcome;
      const refusal = fault === undefined ? busy : printerRefusals[fault];
      return answerOf(200, 'PROCESSING', identity, { printStatus: 'WAITING', ...faultOf(fault) }, refusal);
    }
    case 'notPrinted': {
      const { fault } = outcome;
      return answerOf(
        503,
        'ERROR',
        identity,
        { printStatus: 'NOT_PRINTED', ...faultOf(fault) },
        printerRefusals[fault],
      );
    }
    case 'full':
      return answerOf(503, 'ERROR', identity, { printStatus: 'NOT_PRINTED' }, full);
    case 'otherRequest':
      return terminalRefusalAnswer({ kind: 'otherRequest' }, identity);
    default:
      return outcome satisfies never;
  }
}

function faultOf(printFault: PrinterFault | undefined) {
  return printFault === undefined ? {} : { printFault };
}

function answerOf(
  status: number,
  result: ResponseResult,
  { posId, messageId }: Identity,
  printed: { readonly printStatus: PrintStatus; readonly printFault?: PrinterFault },
  refusal?: Refusal,
): Answer {
  const why = refusal && { message: refusal.message, ...reportedReason(refusal.reason), financialImpact: 'NONE' };
  return {
    status,
    body: { posId, messageId, responseResult: result, responseCode: responseCode(result), ...why, ...printed },
  };
}
