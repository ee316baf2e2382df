import type { DeskAnswer } from '../payment/contracts/desk.ts';

/** A call of the POS interface: takes a JSON body, and returns the same answer as over HTTP. */
export type Call = (
  body: Readonly<Record<string, string | number>>,
) => Promise<{ readonly status: number; readonly body: unknown }>;

export const done: DeskAnswer = { status: 200, body: {} };

export function refuse(status: number, reason: string): DeskAnswer {
  return { status, body: { reason } };
}
