import { parseArgs } from 'node:util';
import { isCommissioningCommand, runCommissioning } from './commissioning/commands.ts';
import { CommissioningError, UnsettledError } from './commissioning/commissioning-error.ts';
import { ConfigurationError } from './config/json-file.ts';
import { StartError } from './composition/start-error.ts';
import { scrub } from './domain/masking.ts';
import { isKeyCommand, KeyError, keyCommand } from './key-commands.ts';
import { JournalError } from './ports/journal.ts';
import { overridesOf, type RunFlags } from './run-flags.ts';
import { isJournalStream, journalPrefix } from './supervision/journal-prefix.ts';
import { version } from './supervision/version.ts';
import { UsageError } from './usage-error.ts';

const usage = `poid ${version}, the payment service of a card terminal

  poid run --config FILE   run the terminal
  poid run --sim           run the terminal with its hardware simulator
  poid sim                 run the simulator alone
  poid operator-password   set the password of the menu on the terminal's screen
  poid pairings            list the paired points of sale
  poid unpair POSID        revoke the key of a point of sale
  poid await-idle          wait until no payment and no settlement runs
  poid provision FILE      make this machine a shop's terminal; FILE may be -, standard input
  poid announce            tell Avahi where tills find this terminal; the unit calls it at each start
  poid selftest            test each part of the terminal
  poid doctor              look at all that a payment needs, and say what to do
  poid factory-reset       remove the shop from the terminal; its serial number and the record of what was done stay
  poid config schema       print the JSON Schema of a configuration
  poid config sample [NAME...]  print a small one that can be used, for EDC, CUP, EPS, QR, OCTOPUS, CASH; all if none is named
  poid config check FILE   tell all that is wrong with a configuration, with line and column
  poid unsettled           say what money only this terminal's journal can bring to its end

run: --port N  --screen-port N  --state-dir DIR  --config FILE
     with --sim also the flags of sim; --auto plays the customer
operator-password, pairings, unpair: --config FILE or --state-dir DIR
await-idle: --config FILE, --wait SECONDS (180), --reversals: until none waits for its host, too; exit code 0: idle or off,
     3: still busy, 1: it can't be told
provision: --dry-run  --force  --config FILE  --root DIR (an image's); exit code 3: money is unsettled, nothing was changed
announce: --config FILE  --state-dir DIR  --root DIR
selftest: --unattended  --json  --config FILE; exit code 0: no part fails, 1: one does; the terminal must be stopped
doctor: --json  --config FILE  --state-dir DIR; exit code 0: nothing fails, 1: something does; the terminal may run
factory-reset: --yes SERIALNUMBER  --config FILE  --state-dir DIR  --root DIR; exit code 3: money is unsettled
config check: --json; exit code 0: it can be used, 1: a line for each fault, or the file can't be read
unsettled: --config FILE or --state-dir DIR, --json; exit code 0: nothing, 3: a line for each, 1: it can't be told
sim: --sim-port N  --sim-dir DIR  --reader NAME  --carrier uhid|stream  --key tdes|aes  --quick-chip  --wallets FILE  --auto
     the reader is neo2 on a serial line, neo2-hid, or mms; its cards and PINs are encrypted with tdes or aes;
     --carrier: a HID reader is a device of the kernel, or a stream; without it, whichever this machine has;
     --quick-chip: a neo2 completes a chip by itself, and the card may be removed before the host has answered;
     --wallets: further wallets of the simulated host, which the terminal's configuration may then take`;

const flags = {
  sim: { type: 'boolean' },
  config: { type: 'string' },
  port: { type: 'string' },
  'screen-port': { type: 'string' },
  'sim-port': { type: 'string' },
  'state-dir': { type: 'string' },
  'sim-dir': { type: 'string' },
  reader: { type: 'string' },
  carrier: { type: 'string' },
  auto: { type: 'boolean' },
  key: { type: 'string' },
  'quick-chip': { type: 'boolean' },
  wallets: { type: 'string' },
  wait: { type: 'string' },
  reversals: { type: 'boolean' },
  json: { type: 'boolean' },
  root: { type: 'string' },
  force: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  unattended: { type: 'boolean' },
  yes: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** Exit codes: 1 it can't run, 2 wrong usage, 3 unsettled money forbids it. */
try {
  const { values, positionals } = parseArgs({ options: flags, allowPositionals: true });
  const [command, ...rest] = positionals;
  if (values.version) console.log(version);
  else if (values.help || command === undefined) console.log(usage);
  else if (isKeyCommand(command)) await keyCommand(command, rest, values);
  else if (isCommissioningCommand(command)) process.exitCode = await runCommissioning(command, rest, values);
  else if (command !== 'run' || rest.length > 0) throw new UsageError(`there is no command '${positionals.join(' ')}'`);
  else await runTerminal(values);
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const called = error instanceof UsageError || isParseFault(error);
  const known =
    called ||
    error instanceof CommissioningError ||
    error instanceof KeyError ||
    error instanceof StartError ||
    error instanceof ConfigurationError ||
    error instanceof JournalError;
  // Each line of a stack has a priority of its own.
  const prefix = isJournalStream(2) ? journalPrefix(50) : '';
  const said = `poid: ${scrub(known ? error.message : (error.stack ?? error.message))}`;
  console.error(said.replaceAll(/^/gm, prefix));
  if (called) console.error(`${prefix}poid: 'poid --help' lists the commands`);
  // process.exit, because a hanging disk would keep the event loop alive.
  process.exit(called ? 2 : error instanceof UnsettledError ? 3 : 1);
}

/** The daemon is loaded only where it runs: the other commands answer at once. */
async function runTerminal(flags: RunFlags): Promise<void> {
  const overrides = overridesOf(flags);
  const { run } = await import('./run.ts');
  await run(flags, overrides);
}

/** The errors of util.parseArgs for an unknown flag or a missing value. */
function isParseFault(error: Error): boolean {
  return 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}
