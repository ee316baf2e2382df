import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { drain, fill, pipe } from '../support/pipe.ts';
import { command } from '../support/programs.ts';
import { ownDirectory } from './poid.ts';

/** A terminal with its simulator, whose standard output and standard error are one pipe. */
async function simulated(t: TestContext) {
  const cwd = await ownDirectory(t);
  const { file, reader, writer } = pipe(t);
  const ports = ['--port', '0', '--screen-port', '0', '--sim-port', '0'];
  const child = spawn(command, ['run', '--sim', '--auto', ...ports], { cwd, stdio: ['ignore', writer, writer] });
  closeSync(writer);
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  let text = '';
  const read = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (const until = performance.now() + 60_000; ; await pause(20)) {
      text += drain(reader);
      const match = pattern.exec(text);
      if (match) return match;
      assert.ok(performance.now() < until && child.exitCode === null, text.trim());
    }
  };
  const [, api = ''] = await read(/terminal API {2}(http\S+)/);
  const [, simulator = ''] = await read(/simulator {5}(http\S+)[^]*Or from a shell/);
  let number = 0;
  const sell = async (): Promise<string> => {
    const messageId = String((number += 1));
    const sale = { posId: 'P', messageId, transactionType: 'SALE', requestAmount: 30, currency: 'HKD' };
    const headers = { 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(30_000);
    const answer = await fetch(`${api}/sp/v1/payment`, { method: 'POST', headers, body: JSON.stringify(sale), signal });
    const body = (await answer.json()) as { responseResult: string; terminalTransactionId: string };
    assert.equal(body.responseResult, 'SUCCESS');
    assert.equal((await fetch(`${simulator}/api/state`, { signal })).status, 200);
    return body.terminalTransactionId;
  };
  return { child, exited, file, reader, read, sell };
}

describe('poid run --sim whose output nobody takes', () => {
  test('the pipe is full: the terminal sells, and its log goes on with the reader', async (t) => {
    const { child, exited, file, reader, read, sell } = await simulated(t);
    fill(file);
    for (let each = 0; each < 3; each++) await sell();
    const last = await sell();
    await read(new RegExp(`^\\{.*${last}.*"msg":"approved"\\}$`, 'm'));
    await sell();
    fill(file);
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
    closeSync(reader);
  });

  test('the reader has gone: the terminal sells, and ends in order', async (t) => {
    const { child, exited, reader, sell } = await simulated(t);
    closeSync(reader);
    for (let each = 0; each < 3; each++) await sell();
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  });
});
