import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { install } from '../support/installed.ts';

export interface Program {
  /** The main file. */
  readonly main: string;
  remove(): Promise<void>;
}

/** The daemon as it is installed. */
export async function bundled(): Promise<Program> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-bundle-'));
  return { main: await install(dir), remove: () => rm(dir, { recursive: true }) };
}
