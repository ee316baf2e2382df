import * as z from 'zod';
import { traceEnds, traceLimits } from './line-trace.ts';

const acquirerId = z.string().regex(/^[A-Z][A-Z0-9_]{0,15}$/);

/** The request of `poid trace` to the running terminal: one line of JSON. */
export const traceRequest = z.strictObject({
  seconds: z.number().int().min(1).max(traceLimits.secondsMax),
  acquirer: acquirerId.optional(),
  /** The user who requests it, for the record. */
  user: z.string().min(1).max(64),
  uid: z.number().int().min(0),
});
export type TraceRequest = z.infer<typeof traceRequest>;

/** The terminal's answer, a line of JSON. A line for each message follows, then a line for the end. */
export const traceAnswer = z.union([
  z.object({ begun: z.object({ seconds: z.number(), acquirers: z.array(acquirerId).max(64) }) }),
  z.object({ refused: z.string() }),
]);
export type TraceAnswer = z.infer<typeof traceAnswer>;

export const traceEnded = z.object({ ended: z.enum(traceEnds), messages: z.number() });
export type TraceEnded = z.infer<typeof traceEnded>;

const part = z.object({
  field: z.number(),
  name: z.string(),
  bytes: z.number(),
  value: z.string().optional(),
  objects: z
    .array(z.object({ tag: z.string(), name: z.string(), bytes: z.number(), value: z.string().optional() }))
    .optional(),
});

/** The schema by which a reader checks a line of a trace. */
export const tracedLine = z.object({
  at: z.string(),
  acquirer: z.string(),
  direction: z.enum(['sent', 'received']),
  mti: z.string().optional(),
  bytes: z.number(),
  parts: z.array(part),
  fault: z.string().optional(),
});
export type TracedLine = z.infer<typeof tracedLine>;

/** The maximum length of a request. */
export const requestBytesMax = 1_024;
/** The maximum of unread bytes, after which the trace ends. */
export const unreadBytesMax = 1_048_576;
