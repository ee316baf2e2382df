import * as z from 'zod';

const id = z.int().min(0);
const reference = z.string().regex(/^[ -~]{1,128}$/);
const cardId = z.string().regex(/^\d{1,16}$/);

/** In units of ten HKD cents; far above any balance. */
const unitsMax = 1_000_000;
const pollTimeoutMsMax = 60_000;

const request = z.discriminatedUnion('call', [
  z.strictObject({ id, call: z.literal('open') }),
  z.strictObject({ id, call: z.literal('poll'), timeoutMs: z.int().min(1).max(pollTimeoutMsMax) }),
  z.strictObject({ id, call: z.literal('deduct'), cardId, amount: z.int().min(1).max(unitsMax), reference }),
  z.strictObject({ id, call: z.literal('find'), reference }),
  z.strictObject({ id, call: z.literal('upload') }),
]);

/** One call of the library, as the daemon asks for it. */
export type AgentRequest = z.infer<typeof request>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined for a line that is not a request: an extra field is as wrong as a missing one. */
export function parseRequest(line: Buffer): AgentRequest | undefined {
  try {
    return request.safeParse(JSON.parse(utf8.decode(line))).data;
  } catch {
    return undefined;
  }
}
