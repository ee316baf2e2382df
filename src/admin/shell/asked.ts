import type { Answer } from '../../pos/client/client.ts';
import { exitCodes } from './exit-code.ts';
import { refusalLines, print } from './said.ts';
import { explain, type Till, type TillFlags } from './till.ts';
import { TillError } from './till-error.ts';

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

/**
 * Calls the terminal, and prints its answer: unchanged with --json, otherwise as `show` formats it. Returns the exit
 * code. Rejects with TillError if there is no answer.
 */
export async function ask(
  till: Till,
  flags: TillFlags,
  { method, path, body }: Asked,
  show: (answer: Answer) => string,
): Promise<number> {
  const { client, answerText } = till.client();
  const answer = await client.call(method, path, body).catch((error: unknown) => {
    throw new TillError(`${till.url} has not answered: ${explain(error)}`);
  });
  const isDone = answer.responseResult === 'SUCCESS';
  if (flags['json']) process.stdout.write(`${answerText()}\n`);
  else if (isDone || answer.responseResult === 'PROCESSING') console.log(show(answer));
  else print(['poid: the terminal refuses it', ...refusalLines(answer)].join('\n'));
  if (answer.responseResult === 'PROCESSING') return exitCodes.running;
  return isDone ? 0 : exitCodes.refused;
}

/** A path with those of the flags that are given, each under the parameter's name. */
export function queryOf(path: string, flags: TillFlags, names: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams();
  for (const [flag, name] of Object.entries(names)) {
    const value = flags[flag];
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** Lists of an answer, whose entries are objects. */
export function entriesOf(answer: Answer, name: string): readonly Readonly<Record<string, unknown>>[] {
  const entries = answer[name];
  return Array.isArray(entries) ? entries : [];
}
