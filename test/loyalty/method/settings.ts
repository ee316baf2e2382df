import { z } from 'zod';

/** An entry of `methods` in the configuration. */
export const loyaltySettings = z.strictObject({
  id: z.string(),
  protocol: z.literal('loyalty'),
  host: z.string(),
  port: z.int().min(1).max(65_535),
  replyTimeoutMs: z.int().min(1).default(10_000),
});

export type LoyaltySettings = z.infer<typeof loyaltySettings>;
