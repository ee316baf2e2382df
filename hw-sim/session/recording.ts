import * as z from 'zod';

/** Limits of a recording that is read: above those of any simulator that writes one. */
const limits = { steps: 500, frames: 10_000, events: 2000 };

/** The reproducible part of an answer to a till. */
const recordedAnswer = z.strictObject({
  status: z.int(),
  responseResult: z.string().exactOptional(),
  responseCode: z.int().exactOptional(),
  financialImpact: z.string().exactOptional(),
  paymentMethod: z.string().exactOptional(),
});
export type RecordedAnswer = z.infer<typeof recordedAnswer>;

/** The till got no answer: the terminal stopped while it waited. */
export const noAnswer = 'no answer';

const body = z.record(z.string(), z.unknown());
const step = z.union([
  /** A call of the control API: a customer's action, or a fault. `atMs` counts from the start of the recording. */
  z.strictObject({ atMs: z.number(), call: z.string(), body }),
  /** A request of the page's till, without its identity, and its answer; `endedMs` is absent while it waits. */
  z.strictObject({
    atMs: z.number(),
    till: z.strictObject({ method: z.enum(['GET', 'POST']), path: z.string(), body: body.exactOptional() }),
    endedMs: z.number().exactOptional(),
    told: z.union([recordedAnswer, z.literal(noAnswer)]).exactOptional(),
    /** The request of this recording whose identity it repeats: a repeat, an enquiry, a cancel. */
    of: z.int().min(0).exactOptional(),
    /** The request of this recording whose transaction it names as its original. */
    original: z.int().min(0).exactOptional(),
    /** Its final status in the journal. */
    journal: z.string().exactOptional(),
  }),
]);
export type RecordedStep = z.infer<typeof step>;
export type TillStep = Extract<RecordedStep, { readonly till: unknown }>;

/** A frame as the page shows it; a hidden byte is `**`. */
const frame = z.strictObject({
  atMs: z.number(),
  line: z.string(),
  connection: z.int(),
  direction: z.enum(['fromTerminal', 'toTerminal']),
  kind: z.enum(['frame', 'noise', 'opened', 'closed']),
  length: z.int(),
  summary: z.string(),
  polling: z.literal(true).exactOptional(),
  bytes: z.string(),
});
export type RecordedFrame = z.infer<typeof frame>;

const event = z.strictObject({
  atMs: z.number(),
  event: z.string(),
  /** The request of this recording that it is about. */
  of: z.int().min(0).exactOptional(),
  /** The event's data, without the identity of the request and its time. */
  told: body,
});
export type RecordedEvent = z.infer<typeof event>;

export const recordingShape = z.strictObject({
  format: z.literal(2),
  /** Omitted parts: the line, the steps or the events; a sentence for users. */
  leftOff: z.array(z.strictObject({ what: z.string(), why: z.string() })),
  steps: z.array(step).max(limits.steps),
  /** The requests to the card hosts and their answers, without numbers that differ each time. */
  hosts: z.array(z.string()),
  /** Of the terminal's event stream, as every till gets it. */
  events: z.array(event).max(limits.events),
  lines: z.array(z.strictObject({ name: z.string(), protocol: z.string() })),
  frames: z.array(frame).max(limits.frames),
});
export type Recording = z.infer<typeof recordingShape>;

const answer = z.looseObject({
  responseResult: z.string().optional(),
  responseCode: z.int().optional(),
  financialImpact: z.string().optional(),
  terminalTransactionId: z.string().optional(),
  transactionResult: z
    .looseObject({ paymentMethod: z.string().optional(), tranStatus: z.string().optional() })
    .optional(),
});

/** The lasting part of an answer; the text may be anything. */
export function recordedAnswerOf(status: number, text: string): RecordedAnswer {
  const parsed = answerOf(text);
  const paymentMethod = parsed?.transactionResult?.paymentMethod;
  return {
    status,
    ...(parsed?.responseResult !== undefined && { responseResult: parsed.responseResult }),
    ...(parsed?.responseCode !== undefined && { responseCode: parsed.responseCode }),
    ...(parsed?.financialImpact !== undefined && { financialImpact: parsed.financialImpact }),
    ...(paymentMethod !== undefined && { paymentMethod }),
  };
}

/** The identifier of the answer's transaction for later requests. */
export function transactionOf(text: string): string | undefined {
  return answerOf(text)?.terminalTransactionId;
}

/** `tranStatus` of an enquiry's answer. */
export function statusOf(text: string): string | undefined {
  return answerOf(text)?.transactionResult?.tranStatus;
}

function answerOf(text: string): z.infer<typeof answer> | undefined {
  try {
    return answer.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
