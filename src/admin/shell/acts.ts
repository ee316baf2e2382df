import { UsageError } from '../../base/usage-error.ts';
import { exitCodes } from './exit-code.ts';
import { warn } from './said.ts';
import type { TillFlags } from './till.ts';
import { TillError } from './till-error.ts';

/** Resolves with its exit code. */
type Act = (flags: TillFlags, parameters: readonly string[]) => Promise<number>;

/** The actions of a point of sale, each loaded when it is called. */
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

/**
 * Actions that move money or report its state. Their faults must never give a script the exit code for "nothing was
 * begun".
 */
const aboutMoney: ReadonlySet<TillAct> = new Set(['pay', 'refund', 'void', 'enquire', 'cancel', 'settle']);

/** Resolves with the exit code; rejects with UsageError. */
export async function playTill(act: TillAct, flags: TillFlags, parameters: readonly string[]): Promise<number> {
  const isAboutMoney = aboutMoney.has(act);
  if (isAboutMoney) expectFault();
  try {
    const run: Act = await acts[act]();
    return await run(flags, parameters);
  } catch (error) {
    if (error instanceof TillError) {
      warn(`poid: ${error.message}`);
      return error.exitCode;
    }
    if (!isAboutMoney || error instanceof UsageError) throw error;
    reportError(error);
    return exitCodes.unknown;
  } finally {
    process.off('uncaughtException', reportError);
  }
}

/** An unrelated error does not end the action. If the process ends before the outcome, the exit code is `unknown`. */
function expectFault(): void {
  process.exitCode = exitCodes.unknown;
  process.on('uncaughtException', reportError);
}

function reportError(error: unknown): void {
  warn(`poid: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
}
