import * as z from 'zod';

const bundle = z.object({
  url: z.string(),
  size: z.number(),
  sha256: z.string(),
  /** hawkBit's name for it: what the terminal will run is the bundle's own. */
  version: z.string(),
});

const outcome = z.object({ finished: z.enum(['success', 'failure']), details: z.array(z.string()) });

/**
 * An action of hawkBit that this terminal works on. installing: from before the first byte is written into the other slot.
 * installed: the next start takes the other slot.
 */
const action = z.object({
  id: z.string(),
  /** Its deployment resource. */
  link: z.string(),
  phase: z.enum(['downloading', 'downloaded', 'installing', 'installed']),
  bundle,
  /** What the bundle says that it is. */
  version: z.string().optional(),
  /** What ran when the installation began. */
  from: z.object({ version: z.string(), slot: z.string(), bootId: z.string() }).optional(),
  corrupt: z.number().default(0),
  installations: z.number().default(0),
  /** It is over, and hawkBit has not heard of it. */
  outcome: outcome.optional(),
});

/** `last` is what hawkBit was told of the action before: asked again, the answer is the same. */
export const updateState = z.object({
  version: z.literal(1),
  action: action.optional(),
  last: z.object({ id: z.string(), outcome }).optional(),
});

export type UpdateBundle = z.infer<typeof bundle>;
export type UpdateAction = z.infer<typeof action>;
export type UpdateOutcome = z.infer<typeof outcome>;
export type UpdateState = z.infer<typeof updateState>;
