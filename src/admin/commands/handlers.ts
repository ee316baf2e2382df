import type { CommissioningCommand } from '../commands.ts';
import type { TillAct } from '../shell/acts.ts';
import type { KeyCommand } from '../../main/key-commands.ts';
import type { CommandLine } from './command-line.ts';
import type { CommandName } from './table.ts';

/** Resolves with the exit code. */
export type Handler = (line: CommandLine) => Promise<number>;

/** The handler of each command, loaded when it is called. `run` is not here: the daemon starts without this table. */
export const handlers: Readonly<Record<Exclude<CommandName, 'run' | 'sim'>, Handler>> = {
  'acquirer moved': commission('acquirer-moved'),
  announce: commission('announce'),
  'await-idle': commission('await-idle'),
  completion: async ({ parameters: [shell = ''] }) => {
    const { completionFor } = await import('./completion.ts');
    process.stdout.write(completionFor(shell));
    return 0;
  },
  certify: commission('certify'),
  'config check': commission('config', 'check'),
  'config dialect': commission('config', 'dialect'),
  'config sample': commission('config', 'sample'),
  'config schema': commission('config', 'schema'),
  devices: commission('devices'),
  doctor: commission('doctor'),
  'factory-reset': commission('factory-reset'),
  'fleet sign': commission('fleet-sign'),
  'fleet status': commission('fleet-status'),
  'fleet update-agent': commission('update-agent'),
  'operator-password': changeKeys('operator-password'),
  pairings: changeKeys('pairings'),
  provision: commission('provision'),
  selftest: commission('selftest'),
  snapshot: commission('snapshot'),
  unpair: changeKeys('unpair'),
  unsettled: commission('unsettled'),
  'journal list': commission('journal', 'list'),
  'journal show': commission('journal', 'show'),
  'journal verify': commission('journal', 'verify'),
  'journal export': commission('journal', 'export'),
  'journal settlements': commission('journal', 'settlements'),
  logs: commission('logs'),
  trace: commission('trace'),
  pay: play('pay'),
  refund: play('refund'),
  void: play('void'),
  enquire: play('enquire'),
  cancel: play('cancel'),
  settle: play('settle'),
  report: play('report'),
  transactions: play('transactions'),
  events: play('events'),
  status: play('status'),
  print: play('print'),
  pair: play('pair'),
};

function commission(command: CommissioningCommand, ...words: string[]): Handler {
  return async ({ flags, parameters }) => {
    const { runCommissioning } = await import('../commands.ts');
    return runCommissioning(command, [...words, ...parameters], flags);
  };
}

function play(act: TillAct): Handler {
  return async ({ flags, parameters }) => {
    const { playTill } = await import('../shell/acts.ts');
    return playTill(act, flags, parameters);
  };
}

function changeKeys(command: KeyCommand): Handler {
  return async ({ flags, parameters }) => {
    const { keyCommand } = await import('../../main/key-commands.ts');
    await keyCommand(command, parameters, flags);
    return 0;
  };
}
