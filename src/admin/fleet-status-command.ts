import { systemClock } from '../base/ports/clock.ts';
import { jsonText } from '../base/standard-output.ts';
import { UsageError } from '../base/usage-error.ts';
import { readRetained } from './fleet/retained-states.ts';
import { tableOf, type TerminalState, terminalState } from './fleet/terminal-state.ts';
import type { CommissioningFlags } from './flags.ts';

const silentMinutes = 10;
const somethingCode = 3;

/**
 * `poid fleet status --url URL`: the retained states of the terminals at the broker. Exit codes: 0 all are there and up
 * to date; 3 not all.
 */
export async function fleetStatusCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  const { url, ca, certificate, key, prefix = 'poid/v1' } = flags;
  if (parameters.length > 0 || url === undefined) throw new UsageError('fleet status takes --url URL');
  const silent = flags.silent ?? `${silentMinutes}`;
  if (!/^[1-9]\d{0,4}$/.test(silent)) throw new UsageError('--silent takes minutes from 1');
  const retained = await readRetained({ url, ca, certificate, key, prefix });
  const states = [...retained]
    .map(([terminal, each]) => terminalState(terminal, each, systemClock.now(), Number(silent) * 60_000))
    .toSorted((one, other) => (one.terminal < other.terminal ? -1 : 1));
  if (flags.json) console.log(jsonText({ terminals: states }));
  else if (states.length === 0) console.log('the broker knows of no terminal');
  else console.log(tableOf(states));
  return states.every(isWell) ? 0 : somethingCode;
}

function isWell({ state, journal, configuration }: TerminalState): boolean {
  return state === 'online' && journal === 'ok' && (configuration?.refused ?? null) === null;
}
