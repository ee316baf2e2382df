import { plainText } from '../base/domain/plain-text.ts';
import { access, constants } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { systemClock } from '../base/ports/clock.ts';
import type { RunFlags } from './run-flags.ts';
import { UsageError } from '../base/usage-error.ts';

/** A fault of a key or a password, in one sentence. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
}

export type KeyCommand = 'operator-password' | 'pairings' | 'unpair';

/** Works on the state directory, whether the terminal runs or not: the terminal notices changed keys by itself. */
export async function keyCommand(command: KeyCommand, parameters: readonly string[], flags: RunFlags): Promise<void> {
  if (parameters.length !== (command === 'unpair' ? 1 : 0)) {
    throw new UsageError(command === 'unpair' ? 'unpair takes a posId' : `${command} takes no arguments`);
  }
  const { stateDirOf } = await import('../config/places.ts');
  const stateDir = await stateDirOf(flags);
  await access(stateDir, constants.R_OK | constants.W_OK).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new KeyError(`the state directory ${stateDir} can't be used (${code}): run this as root or as its owner`);
  });
  try {
    await runCommand(command, parameters, stateDir);
  } catch (error) {
    throw error instanceof Error ? new KeyError(error.message) : error;
  }
}

async function runCommand(command: KeyCommand, [posId = '']: readonly string[], stateDir: string): Promise<void> {
  const { PairedKeys } = await import('../pos/pairing/paired-keys.ts');
  const keys = new PairedKeys(stateDir);
  switch (command) {
    case 'operator-password': {
      const { OperatorPassword } = await import('../operator/password.ts');
      await new OperatorPassword(stateDir, systemClock).set(await passwordFromInput());
      console.log('the password is set');
      return;
    }
    case 'pairings': {
      const all = await keys.all();
      if (all.length === 0) console.log('no point of sale is paired');
      for (const each of all)
        console.log([each.posId, `key ${each.keyId}`, `paired ${each.pairedAt}`].map(plainText).join('\t'));
      return;
    }
    case 'unpair':
      if (!(await keys.remove(posId))) throw new Error(`no point of sale '${posId}' is paired`);
      console.log(`the key of ${posId} is revoked`);
      return;
    default:
      command satisfies never;
  }
}

/** Asks twice without echo at a terminal; otherwise reads the first line of standard input. */
async function passwordFromInput(): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    for await (const line of createInterface({ input: stdin })) return line;
    return '';
  }
  const silent = new Writable({ write: (_chunk, _encoding, written) => written() });
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  const ask = async (prompt: string) => {
    stderr.write(prompt);
    const line = await lines.question('');
    stderr.write('\n');
    return line;
  };
  try {
    const first = await ask('New password of the operator (6 to 32 digits): ');
    if ((await ask('Again: ')) !== first) throw new Error('the two passwords differ: nothing was changed');
    return first;
  } finally {
    lines.close();
  }
}
