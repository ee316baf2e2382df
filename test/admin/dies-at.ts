/** Loaded before a command: kills its process at the n-th change of a file, before the change. n: POID_TEST_DIES_AT. */
import fs from 'node:fs';
import fsPromises, { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const fatal = Number(process.env['POID_TEST_DIES_AT']);
let changes = 0;

type Functions = Record<string, (...parameters: readonly unknown[]) => unknown>;

function countCalls(object: object, names: readonly string[]): void {
  const functions = object as Functions;
  for (const name of names) {
    const original = functions[name];
    if (!original) throw new Error(`there is no ${name}`);
    functions[name] = function counted(this: unknown, ...parameters: readonly unknown[]) {
      changes += 1;
      if (changes === fatal) process.kill(process.pid, 'SIGKILL');
      return Reflect.apply(original, this, parameters);
    };
  }
}

const handle = await open('/dev/null');
countCalls(Object.getPrototypeOf(handle) as object, ['chmod', 'chown', 'writeFile', 'sync']);
await handle.close();
countCalls(fsPromises, ['open', 'rename', 'mkdir', 'rm']);
countCalls(fs, ['rmSync', 'writeFileSync', 'renameSync']);
syncBuiltinESMExports();
