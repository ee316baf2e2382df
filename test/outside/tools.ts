import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The folder with the packages of these tests. */
export const here = fileURLToPath(new URL('.', import.meta.url));
export const root = path.join(here, '../..');

/** A command of those packages. */
export function command(name: string): string {
  return path.join(here, 'node_modules/.bin', name);
}

export async function ownDirectory(t: TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-outside-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export async function run(program: string, parameters: readonly string[], cwd = root): Promise<Ended> {
  // No tool asks its maker for news.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  const child = spawn(program, parameters, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => (output[name] += chunk));
  }
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('close', resolve);
  return { code: await promise, ...output };
}
