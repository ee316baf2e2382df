import { warn } from './said.ts';
import type { TillFlags } from './till.ts';
import { TillError } from './till-error.ts';

/** Resolves with its exit code. */
type Act = (flags: TillFlags, parameters: readonly string[]) => Promise<number>;

/** What a point of sale does, each loaded where it is called. */
const acts = {
  pay: async () => (await import('./payment-commands.ts')).pay,
  refund: async () => (await import('./payment-commands.ts')).refund,
  void: async () => (await import('./payment-commands.ts')).voidTransaction,
  enquire: async () => (await import('./payment-commands.ts')).enquire,
  cancel: async () => (await import('./payment-commands.ts')).cancel,
  settle: async () => (await import('./settle-command.ts')).settle,
  report: async () => (await import('./list-commands.ts')).report,
  transactions: async () => (await import('./list-commands.ts')).transactions,
  status: async () => (await import('./list-commands.ts')).status,
  events: async () => (await import('./events-command.ts')).events,
  print: async () => (await import('./print-command.ts')).print,
  pair: async () => (await import('./pair-command.ts')).pairTill,
} as const satisfies Record<string, () => Promise<Act>>;

export type TillAct = keyof typeof acts;

/** Resolves with the exit code; rejects with UsageError. */
export async function playTill(act: TillAct, flags: TillFlags, parameters: readonly string[]): Promise<number> {
  try {
    const run: Act = await acts[act]();
    return await run(flags, parameters);
  } catch (error) {
    if (!(error instanceof TillError)) throw error;
    warn(`poid: ${error.message}`);
    return error.exitCode;
  }
}
