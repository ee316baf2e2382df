import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { documentWithExamples } from '../../src/pos/api/openapi-document.ts';
import type { Json } from '../e2e/stage.ts';
import { command, ownDirectory, run } from './tools.ts';

async function lint(file: string, document: object): Promise<{ errors: number; warnings: number; text: string }> {
  await writeFile(file, JSON.stringify(document));
  const { stdout, stderr } = await run(command('redocly'), ['lint', '--extends=recommended', '--format=json', file]);
  assert.match(stdout, /^\{/, stderr);
  const { totals } = JSON.parse(stdout) as { totals: { errors: number; warnings: number } };
  return { ...totals, text: stdout };
}

test('the recommended rules of Redocly find nothing in the document', async (t) => {
  const file = path.join(await ownDirectory(t), 'openapi.json');
  const { errors, warnings, text } = await lint(file, await documentWithExamples());
  assert.deepEqual([errors, warnings], [0, 0], text);
});

test('they find what is wrong with one that lacks its servers and its license', async (t) => {
  const file = path.join(await ownDirectory(t), 'openapi.json');
  const { servers: _servers, ...rest }: Json = await documentWithExamples();
  const { errors, warnings } = await lint(file, { ...rest, info: { title: 'x', version: '1' } });
  assert.ok(errors > 0 && warnings > 0, `${errors} errors, ${warnings} warnings`);
});
