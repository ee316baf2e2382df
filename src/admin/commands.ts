import { hasGivenUpRoot } from '../base/secrets/state-owner.ts';
import { CommissioningError } from './commissioning-error.ts';
import type { CommissioningFlags } from './flags.ts';

/** Resolves with its exit code. */
type Command = (flags: CommissioningFlags, parameters: readonly string[]) => Promise<number>;

/**
 * Commands for the manufacturing line and for technicians. Each is loaded only when it is called, so that it does not
 * slow the start of the daemon.
 */
const commands = {
  'acquirer-moved': async () => (await import('./acquirer-moved-command.ts')).acquirerMovedCommand,
  announce: async () => (await import('./announce-command.ts')).announceCommand,
  'await-idle': async () => (await import('./await-idle-command.ts')).awaitIdleCommand,
  certify: async () => (await import('./certify-command.ts')).certifyCommand,
  config: async () => (await import('./config-command.ts')).configCommand,
  devices: async () => (await import('./devices-command.ts')).devicesCommand,
  doctor: async () => (await import('./doctor-command.ts')).doctorCommand,
  'factory-reset': async () => (await import('./factory-reset-command.ts')).factoryResetCommand,
  'fleet-sign': async () => (await import('./fleet-sign-command.ts')).fleetSignCommand,
  'fleet-status': async () => (await import('./fleet-status-command.ts')).fleetStatusCommand,
  'update-agent': async () => (await import('./update-agent-command.ts')).updateAgentCommand,
  journal: async () => (await import('./journal-command.ts')).journalCommand,
  logs: async () => (await import('./logs-command.ts')).logsCommand,
  provision: async () => (await import('./provision-command.ts')).provisionCommand,
  selftest: async () => (await import('./selftest-command.ts')).selftestCommand,
  snapshot: async () => (await import('./snapshot-command.ts')).snapshotCommand,
  trace: async () => (await import('./trace-command.ts')).traceCommand,
  unsettled: async () => (await import('./unsettled-command.ts')).unsettledCommand,
} as const satisfies Record<string, () => Promise<Command>>;

export type CommissioningCommand = keyof typeof commands;

export async function runCommissioning(
  command: CommissioningCommand,
  parameters: readonly string[],
  flags: CommissioningFlags,
): Promise<number> {
  const run: Command = await commands[command]();
  return run(flags, parameters).catch((error: unknown) => {
    throw isSystemError(error) ? explainSystemError(error) : error;
  });
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

function explainSystemError({ code, syscall, path }: NodeJS.ErrnoException): CommissioningError {
  const isRefused = code === 'EACCES' || code === 'EPERM';
  const who = hasGivenUpRoot()
    ? 'the owner of the state directory does not have the rights for this'
    : 'run this as root';
  const remedy = isRefused ? `: ${who}` : '';
  return new CommissioningError(`${path ?? syscall} can't be used (${code})${remedy}`);
}
