import { grouped } from '../../base/domain/amount.ts';
import { plainText } from '../../base/domain/plain-text.ts';
import type { Retained } from './retained-states.ts';

/** One terminal, as its retained states describe it. */
export interface TerminalState {
  readonly terminal: string;
  /** silent: its state is online, but its last message is too old. */
  readonly state: 'online' | 'offline' | 'silent' | 'unknown';
  /** Time of its last message. */
  readonly at: string | null;
  readonly version: string | null;
  /** Payments that are in no settled batch; null if it does not report them. */
  readonly money: readonly { readonly currency: string; readonly count: number; readonly amount: string }[] | null;
  /** Open work for a host or the bank; null if it does not report it. */
  readonly unsettled: {
    readonly reversals: number;
    readonly advices: number;
    readonly rejected: number;
    readonly batches: number;
  } | null;
  readonly journal: string | null;
  readonly configuration: {
    readonly version: number | null;
    readonly waiting: number | null;
    readonly refused: { readonly version: number; readonly reason: string } | null;
  } | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** The terminal's state from its retained messages, at `now`. Fields that it does not report are null. */
export function terminalState(
  terminal: string,
  { status, configuration, books }: Retained,
  now: Date,
  silentMs: number,
): TerminalState {
  const at = textOf(status?.['at']);
  const isOld = at !== null && now.getTime() - new Date(at).getTime() > silentMs;
  const reported = status?.['state'];
  const state = reported === 'online' ? (isOld ? 'silent' : 'online') : reported === 'offline' ? 'offline' : 'unknown';
  return {
    terminal,
    state,
    at,
    version: textOf(status?.['version']),
    money: moneyOf(books?.['unsettled']),
    unsettled: status ? unsettledOf(status) : null,
    journal: textOf(status?.['journal']),
    configuration: configuration ? configurationOf(configuration) : null,
  };
}

function moneyOf(reported: unknown): TerminalState['money'] {
  if (!Array.isArray(reported)) return null;
  return (reported as Fields[]).flatMap(({ currency, count, amount }) =>
    typeof currency === 'string' && typeof count === 'number' && typeof amount === 'string'
      ? [{ currency, count, amount }]
      : [],
  );
}

function unsettledOf(status: Fields): TerminalState['unsettled'] {
  const [reversals, advices] = [numberOf(status['pendingReversals']), numberOf(status['pendingAdvices'])];
  if (reversals === null || advices === null) return null;
  const acquirers = Array.isArray(status['acquirers']) ? (status['acquirers'] as Fields[]) : [];
  const count = (name: string) =>
    acquirers.reduce((sum, each) => sum + (Array.isArray(each[name]) ? each[name].length : 0), 0);
  return { reversals, advices, rejected: count('rejectedAdvices'), batches: count('waitingBatches') };
}

function configurationOf(reported: Fields): TerminalState['configuration'] {
  const waiting = reported['waiting'] as Fields | undefined;
  const refused = reported['refused'] as Fields | undefined;
  const [version, reason] = [numberOf(refused?.['version']), textOf(refused?.['reason'])];
  return {
    version: numberOf(reported['version']),
    waiting: numberOf(waiting?.['version']) ?? numberOf(reported['trial']),
    refused: version === null ? null : { version, reason: reason ?? '' },
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

const heads = ['terminal', 'state', 'last heard', 'version', 'unsettled', 'waits', 'configuration'] as const;

/** A table for the user. */
export function tableOf(states: readonly TerminalState[]): string {
  const rows = [heads, ...states.map(rowOf)];
  const widths = heads.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function rowOf(reported: TerminalState): string[] {
  const { terminal, state, at, version, money, unsettled, configuration } = reported;
  const texts = [moneyText(money), unsettledText(unsettled), configurationText(configuration)];
  return [terminal, state, at ?? '-', version ?? '-', ...texts].map(plainText);
}

function moneyText(money: TerminalState['money']): string {
  if (!money) return '?';
  return (
    money.map(({ currency, count, amount }) => `${currency} ${grouped(amount)} in ${count}`).join(', ') || 'nothing'
  );
}

function unsettledText(unsettled: TerminalState['unsettled']): string {
  if (!unsettled) return '?';
  const parts = Object.entries(unsettled).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []));
  return parts.join(', ') || 'nothing';
}

function configurationText(configuration: TerminalState['configuration']): string {
  if (!configuration) return '-';
  const { version, waiting, refused } = configuration;
  return [
    version === null ? 'its own' : `${version}`,
    ...(waiting === null ? [] : [`${waiting} waits`]),
    ...(refused === null ? [] : [`${refused.version} refused: ${refused.reason}`]),
  ].join(', ');
}
