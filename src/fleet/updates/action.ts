import * as z from 'zod';

const bundle = z.object({
  url: z.string(),
  size: z.number(),
  sha256: z.string(),
  /** hawkBit's name for the version; the bundle's own name may differ. */
  version: z.string(),
});

const outcome = z.object({ finished: z.enum(['success', 'failure']), details: z.array(z.string()) });

/**
 * An action of hawkBit that this terminal works on. installing: from before the first byte is written into the other
 * slot. installed: the next start takes the other slot.
 */
const action = z.object({
  id: z.string(),
  /** Its deployment resource. */
  link: z.string(),
  phase: z.enum(['downloading', 'downloaded', 'installing', 'installed']),
  bundle,
  /** The version that the bundle names. */
  version: z.string().optional(),
  /** The version that ran when the installation began. */
  from: z.object({ version: z.string(), slot: z.string(), bootId: z.string() }).optional(),
  corrupt: z.number().default(0),
  installations: z.number().default(0),
  /** The outcome that hawkBit has not received yet. */
  outcome: outcome.optional(),
});

/** `last` is the reported outcome of the previous action: it is repeated if hawkBit offers that action again. */
export const updateState = z.object({
  version: z.literal(1),
  action: action.optional(),
  last: z.object({ id: z.string(), outcome }).optional(),
});

export type UpdateBundle = z.infer<typeof bundle>;
export type UpdateAction = z.infer<typeof action>;
export type UpdateOutcome = z.infer<typeof outcome>;
export type UpdateState = z.infer<typeof updateState>;
