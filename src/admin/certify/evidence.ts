import * as z from 'zod';
import { tracedLine, type TracedLine } from '../../observability/trace-request.ts';

const result = z.object({
  id: z.string(),
  title: z.string(),
  kind: z.string(),
  verdict: z.enum(['PASS', 'FAIL']),
  /** Why it has failed; empty if it has passed. */
  reasons: z.array(z.string()),
  beganAt: z.string(),
  messageId: z.string(),
  /** From the terminal's answer; absent if there is none. */
  answer: z
    .object({
      responseResult: z.string(),
      terminalTransactionId: z.string().optional(),
      reason: z.string().optional(),
      message: z.string().optional(),
      entryMode: z.string().optional(),
      maskedPan: z.string().optional(),
      paymentMethod: z.string().optional(),
      approvalCode: z.string().optional(),
      rrn: z.string().optional(),
      trace: z.number().optional(),
      tranStatus: z.string().optional(),
    })
    .optional(),
  /** Field 39 of the host's answer. */
  responseCode: z.string().optional(),
  messages: z.array(tracedLine),
  /** The text of both copies; absent if there is no receipt. */
  receipt: z.object({ customer: z.string(), merchant: z.string() }).optional(),
});
export type CaseResult = z.infer<typeof result>;
export type Answered = NonNullable<CaseResult['answer']>;
export type { TracedLine };

/** The evidence of a certification. Its only card data are those of receipts. */
export const evidenceSchema = z.object({
  name: z.string(),
  acquirer: z.string(),
  /** SHA-256 of the script. */
  script: z.string(),
  software: z.string(),
  serialNumber: z.string(),
  /** The last run. */
  runId: z.string(),
  posId: z.string(),
  verdict: z.enum(['PASS', 'FAIL', 'INCOMPLETE']),
  /** The number of cases of the script. */
  cases: z.number(),
  results: z.array(result),
});
export type Evidence = z.infer<typeof evidenceSchema>;

export function verdictOf(cases: number, results: readonly CaseResult[]): Evidence['verdict'] {
  if (results.some(({ verdict }) => verdict === 'FAIL')) return 'FAIL';
  return results.length < cases ? 'INCOMPLETE' : 'PASS';
}
