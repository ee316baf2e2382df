import path from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from './files.ts';

/**
 * The test files that are named as parameters, in this process, one after the other. Each is a suite: hooks at the top of
 * a file are for its tests alone. Under --test-isolation=none they would be for every file's.
 */
for (const file of process.argv.slice(2)) {
  void describe(file, async () => {
    await import(pathToFileURL(path.join(root, file)).href);
  });
}
