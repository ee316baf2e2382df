import { setTimeout as pause } from 'node:timers/promises';
import { defaultConfiguration, loadConfiguration } from '../config/load.ts';
import { UsageError } from '../base/usage-error.ts';
import type { CommissioningFlags } from './flags.ts';
import { readIdleState, reversing } from './idle-state.ts';

const busyCode = 3;
/** A customer may take two minutes to present a card, and a host a minute to answer. */
const waitSecondsDefault = 180;
const waitSecondsMax = 3_600;
const lookMs = 250;

/**
 * `poid await-idle`: returns once no payment and no settlement runs, and with `--reversals` no reversal waits; asks the
 * terminal on loopback. Exit codes: 0 idle, or no terminal runs; 3 still busy after `--wait` seconds; 1 unknown.
 */
export async function awaitIdleCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  if (parameters.length > 0) throw new UsageError('await-idle takes no arguments');
  const end = performance.now() + 1_000 * waitSecondsOf(flags.wait);
  const { screen } = await loadConfiguration([flags.config ?? defaultConfiguration], {}, { keys: 'unread' });
  for (let shown = ''; ; ) {
    const state = await readIdleState(screen.port, flags.reversals ?? false);
    if (state === 'idle' || state === 'off') {
      console.log(state === 'idle' ? 'the terminal is idle' : 'the terminal does not run');
      return 0;
    }
    if (state === 'unknown') {
      console.log('the terminal does not answer: its state is unknown');
      return 1;
    }
    if (state !== shown) console.log(`waiting: the terminal ${waitsFor(state)}`);
    shown = state;
    if (performance.now() >= end) {
      console.log('the terminal is still busy');
      return busyCode;
    }
    await pause(lookMs);
  }
}

function waitSecondsOf(text: string | undefined): number {
  if (text === undefined) return waitSecondsDefault;
  if (!/^\d{1,4}$/.test(text) || Number(text) > waitSecondsMax) {
    throw new UsageError(`--wait takes seconds from 0 to ${waitSecondsMax}`);
  }
  return Number(text);
}

function waitsFor(state: string): string {
  return state === reversing ? 'has reversals that no host has acknowledged' : `is ${state}`;
}
