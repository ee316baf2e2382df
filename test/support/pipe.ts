import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

/** A named pipe: a descriptor for its reader and one for its writer, which blocks. The test closes both. */
export function pipe(t: TestContext): { file: string; reader: number; writer: number } {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-pipe-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = path.join(dir, 'pipe');
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return { file, reader, writer: openSync(file, constants.O_WRONLY) };
}

/** What is in a pipe now. */
export function drain(reader: number): string {
  const chunks: Buffer[] = [];
  const chunk = Buffer.alloc(65_536);
  whileReady(() => {
    const count = readSync(reader, chunk);
    chunks.push(Buffer.from(chunk.subarray(0, count)));
    return count;
  });
  return Buffer.concat(chunks).toString();
}

/** Fills a pipe with empty lines. */
export function fill(file: string): void {
  const writer = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
  for (const size of [4_096, 1]) whileReady(() => writeSync(writer, '\n'.repeat(size)));
  closeSync(writer);
}

function whileReady(step: () => number): void {
  try {
    while (step() > 0);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
  }
}
