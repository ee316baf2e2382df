import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { presentPlaces } from '../config/places.ts';
import { readSerialNumber } from '../config/serial-number.ts';
import { plainJson } from '../base/domain/plain-text.ts';
import { jsonText } from '../base/standard-output.ts';
import { UsageError } from '../base/usage-error.ts';
import { traceLimits } from '../observability/line-trace.ts';
import type { TracedLine } from '../observability/trace-request.ts';
import { recordAction, whoActs } from './audit.ts';
import { CommissioningError } from './commissioning-error.ts';
import type { CommissioningFlags } from './flags.ts';
import { messageLines } from './trace/message-lines.ts';
import { endText, TraceClient } from './trace/trace-client.ts';

const acquirerForm = /^[A-Z][A-Z0-9_]{0,15}$/;
const stops = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * `poid trace`: records the masked messages to and from the running terminal's card hosts for a limited time. Exit
 * codes: 0 it has ended as requested, 1 it could not begin, or has ended early.
 */
export async function traceCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  if (parameters.length > 0) throw new UsageError('trace takes no arguments');
  const seconds = secondsOf(flags.for ?? '10m');
  const acquirer = flags.acquirer?.toUpperCase();
  if (acquirer !== undefined && !acquirerForm.test(acquirer)) throw new UsageError('--acquirer takes the id of one');
  const places = await presentPlaces(flags);
  const scope = { seconds, ...(acquirer === undefined ? {} : { acquirer }) };
  const action = { action: 'trace', serialNumber: readSerialNumber(places) ?? '', ...scope } as const;
  const { write, close } = outputOf(flags);
  try {
    await recordAction(places, action, new Date());
    const client = await TraceClient.begin(places.stateDir, { ...scope, ...whoActs() }, write);
    const stop = () => client.stop();
    for (const signal of stops) process.on(signal, stop);
    process.stdout.on('error', stop);
    process.stderr.write(`poid: ${(await client.acquirers).join(', ')}: until Ctrl-C, ${seconds} s at most\n`);
    const end = await client.ended.finally(() => {
      client.stop();
      for (const signal of stops) process.off(signal, stop);
      process.stdout.off('error', stop);
    });
    await recordAction(places, { ...action, ended: end?.ended ?? 'lost' }, new Date());
    process.stderr.write(`poid: ${end?.messages ?? 'some'} messages: ${endText(end)}\n`);
    return end?.ended === 'time' || end?.ended === 'command' ? 0 : 1;
  } finally {
    close();
  }
}

/** '90s', '10m', '1h'. */
function secondsOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const seconds = Number(count) * ({ s: 1, m: 60, h: 3_600 }[unit] ?? 0);
  if (seconds >= 1 && seconds <= traceLimits.secondsMax) return seconds;
  throw new UsageError('--for takes 90s, 10m or 1h: one hour at most');
}

interface Output {
  readonly write: (message: TracedLine) => void;
  readonly close: () => void;
}

/** Writes JSON to a new file; to standard output text, or JSON with --json. */
function outputOf({ out, json }: Pick<CommissioningFlags, 'out' | 'json'>): Output {
  if (out === undefined) {
    const text = (message: TracedLine) => (json ? jsonText(message) : `${messageLines(message).join('\n')}\n`);
    return { write: (message) => void process.stdout.write(`${text(message)}\n`), close: () => undefined };
  }
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = openNew(out, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  return {
    write: (message) => void writeSync(file, `${plainJson(JSON.stringify(message))}\n`),
    close: () => closeSync(file),
  };
}

function openNew(name: string, flags: number): number {
  try {
    return openSync(name, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CommissioningError(`${name} is there already: nothing was recorded`);
  }
}
