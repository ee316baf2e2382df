import * as z from 'zod';

/** Its entry of `options` in the configuration. */
export const roundUpSettings = z.strictObject({
  charity: z.string('charity must be a name').min(1).max(32),
  toMinor: z.number('toMinor must be a number').int().min(2),
  timeoutMs: z.number('timeoutMs must be a number').int().min(1).default(30_000),
});
