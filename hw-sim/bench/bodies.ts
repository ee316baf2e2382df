import { z } from 'zod';
import { hostModeNames } from '../host/iso8583/host.ts';
import { HttpError } from './http-error.ts';

const flag = z.boolean().exactOptional();
const responseCode = z
  .string()
  .regex(/^[0-9A-Z]{2}$/, 'a response code has two characters')
  .exactOptional();

/** What the calls of the control API take. Strict: a field that does not exist is refused, not overlooked. */
export const nothing = z.strictObject({});

export const tap = z.strictObject({
  card: z.string(),
  /** How long the customer holds the card there. */
  holdMs: z.int().min(1).max(600_000).default(3000),
});

export const readerFault = z.strictObject({
  unplug: flag,
  garble: flag,
  dropNext: flag,
  splitBytes: flag,
  collision: flag,
  garbageBefore: flag,
  unsupported: flag,
});

export const printerFault = z.strictObject({
  unplug: flag,
  paperOut: flag,
  paperNearEnd: flag,
  coverOpen: flag,
  cutterError: flag,
  silent: flag,
  paperOutAfter: z.int().min(1).max(1000).exactOptional(),
});

/** Without `mode` the host is up: {decline: "51"} alone says all that is meant. */
export const hostMode = z.strictObject({
  mode: z.enum(hostModeNames).default('up'),
  delayMs: z.int().min(0).max(600_000).exactOptional(),
  decline: responseCode,
  declineVoids: responseCode,
  reversals: flag,
  advices: flag,
  settlement: flag,
  mismatch: flag,
});

/** An empty fault changes nothing, and whoever sends it meant something. */
export function someFault<T extends object>(fault: T): T {
  if (Object.keys(fault).length === 0) throw new HttpError(400, 'no fault is named');
  return fault;
}
