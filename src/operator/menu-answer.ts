import type { MenuAnswer } from '../payment/contracts/operator-menu.ts';

/** A call of the POS interface: takes a JSON body, and returns the same answer as over HTTP. */
export type Call = (
  body: Readonly<Record<string, string | number>>,
) => Promise<{ readonly status: number; readonly body: unknown }>;

export const done: MenuAnswer = { status: 200, body: {} };

export function refuse(status: number, reason: string): MenuAnswer {
  return { status, body: { reason } };
}
