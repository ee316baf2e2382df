import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '../e2e/stage.ts';
import type { Judged } from './schemas.ts';
import { here } from './tools.ts';

/** What Python's jsonschema says of these bodies, by the schemas under `$defs`: judges.py. */
export async function judgedInPython(schemas: Json, judged: readonly Judged[]): Promise<Json> {
  const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
  const child = spawn(python, [path.join(here, 'judges.py')], { stdio: ['pipe', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  child.stdin.end(JSON.stringify({ schemas, judged }));
  const [code] = await once(child, 'close');
  assert.equal(code, 0, err);
  return JSON.parse(out);
}
