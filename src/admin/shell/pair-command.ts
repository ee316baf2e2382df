import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { pair } from '../../pos/client/client.ts';
import { UsageError } from '../../base/usage-error.ts';
import { print } from './said.ts';
import { explain, Till, textOf, type TillFlags } from './till.ts';
import { TillError } from './till-error.ts';

/** `poid pair KEYFILE`: agrees on a key with a terminal whose operator has opened pairing, and keeps it for --key. */
export async function pairTill(flags: TillFlags, [file = '']: readonly string[]): Promise<number> {
  if (existsSync(file)) throw new TillError(`${file} is there already: a key is not written over`);
  if (textOf(flags, 'key') !== undefined) throw new UsageError('pair writes a key, and takes none');
  const till = new Till(flags);
  await till.reach();
  try {
    const { keyId, key } = await pair({ url: till.url, posId: till.posId, typedCode: readDigits, fetch: till.fetch });
    writeFileSync(file, `${keyId} ${key}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw error instanceof Error ? new TillError(`not paired: ${explain(error)}`) : error;
  }
  console.log(`${till.posId} is paired: poid status${till.sameFlags} --key ${file}`);
  return 0;
}

/** Standard input is read only now, so earlier input is not lost. */
async function readDigits(): Promise<string> {
  process.stderr.write('The six digits that the terminal shows: ');
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) {
      print('Now the operator has to press Yes on the terminal.');
      return line;
    }
    return '';
  } finally {
    lines.close();
  }
}
