import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { installedCommand, sourcesCommand } from '../support/programs.ts';
import { NotifySocket } from '../observability/notify-socket.ts';
import { ownDirectory, Poid, processes } from './poid.ts';

// Answers are read as the tests find them: an absent field fails its assertion.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** The files for mutual TLS between terminal and simulated hosts. */
const tlsFiles = ['hosts-ca.pem', 'hosts-other-ca.pem', 'terminal-certificate.pem', 'terminal-key.pem'];
const freePorts = ['--port', '0', '--screen-port', '0'];
const sale = { posId: 'POS-1', messageId: 'M-1', transactionType: 'SALE', requestAmount: 30, currency: 'HKD' };

interface Running {
  readonly run: Poid;
  readonly dir: string;
  readonly api: string;
  readonly screen: string;
  readonly simulator: string;
  readonly simulatorPid: number;
}

/** `poid run --sim`, once it has said its addresses. */
async function runningSim(t: TestContext, ...more: string[]): Promise<Running> {
  const dir = await ownDirectory(t);
  const run = new Poid(t, ['run', '--sim', ...freePorts, '--sim-port', '0', ...more], { cwd: dir });
  const [, api = '', screen = '', simulator = ''] = await run.said(
    /terminal API {2}(http:\S+)\n\s+screen {8}(http:\S+)\n\s+simulator {5}(http:\S+)\n/,
  );
  return { run, dir, api, screen, simulator, simulatorPid: run.simulatorPid() ?? assert.fail('no simulator runs') };
}

async function json(url: string, body?: object): Promise<Json> {
  const posted = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await fetch(url, body ? posted : {})).json();
}

/** No process of this run is left, and its directory holds files but no link to a pty that is gone, and no socket. */
async function assertNothingLeft({ run, dir, simulatorPid }: Running): Promise<void> {
  const left = () =>
    processes().filter(({ pid, parent }) => [pid, parent].some((each) => each === run.pid || each === simulatorPid));
  // A process closes its files, by which its end was heard, a moment before it is gone: proc(5) still lists it.
  while (left().length > 0) await pause(20);
  assert.deepEqual(readdirSync(path.join(dir, '.poid/sim')).toSorted(), ['poid.json', ...tlsFiles].toSorted());
}

/** With 0, and nothing in the log that somebody must look at: no line above the level of information. */
async function assertEndedInOrder(run: Poid, more: { readonly signal?: null } = {}): Promise<void> {
  const ended = await run.ended;
  assert.partialDeepStrictEqual(ended, { code: 0, ...more });
  const lines: Json[] = ended.err
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  assert.notEqual(lines.length, 0);
  assert.deepEqual(
    lines.filter(({ level }) => level !== 30),
    [],
  );
}

describe('poid run --sim', () => {
  test('says three addresses that answer, sells, and SIGTERM ends all of it with 0', async (t) => {
    const running = await runningSim(t, '--auto');
    const { run, dir, api, screen, simulator } = running;
    assert.equal((await json(`${api}/sp/v1/status`)).ready, true);
    assert.match(await (await fetch(screen)).text(), /<title>Payment terminal/);
    assert.ok((await json(`${simulator}/api/cards`)).includes('visa'));
    assert.deepEqual(
      readdirSync(path.join(dir, '.poid/sim')).toSorted(),
      ['octopus', 'poid.json', 'printer', 'reader', 'scanner', ...tlsFiles].toSorted(),
    );
    assert.partialDeepStrictEqual(await json(`${api}/sp/v1/payment`, sale), { responseResult: 'SUCCESS' });
    run.kill('SIGTERM');
    await assertEndedInOrder(run, { signal: null });
    await assertNothingLeft(running);
  });

  test('--quick-chip reaches the simulated reader and the terminal', async (t) => {
    const { run, dir } = await runningSim(t, '--quick-chip');
    const { reader }: Json = JSON.parse(readFileSync(path.join(dir, '.poid/sim/poid.json'), 'utf8'));
    assert.equal(reader.quickChip, true);
    run.kill('SIGTERM');
    await assertEndedInOrder(run, { signal: null });
  });

  test('Ctrl-C, to the whole process group, ends all of it with 0', async (t) => {
    const running = await runningSim(t);
    running.run.killGroup('SIGINT');
    await assertEndedInOrder(running.run, { signal: null });
    await assertNothingLeft(running);
  });

  test('Ctrl-C while a customer is asked for a card: the POS hears it, nothing is left', async (t) => {
    const running = await runningSim(t);
    const answer = json(`${running.api}/sp/v1/payment`, sale);
    answer.catch(() => undefined);
    let state = '';
    for (; state !== 'collecting'; await pause(20)) ({ state } = await json(`${running.api}/sp/v1/status`));
    running.run.killGroup('SIGINT');
    assert.partialDeepStrictEqual(await answer, {
      responseResult: 'TRANSACTION_ALREADY_CANCEL',
      financialImpact: 'NONE',
    });
    await assertEndedInOrder(running.run);
    await assertNothingLeft(running);
  });

  test('killed, it leaves no simulator behind', async (t) => {
    const running = await runningSim(t);
    running.run.kill('SIGKILL');
    assert.equal((await running.run.ended).signal, 'SIGKILL');
    await assertNothingLeft(running);
  });

  test('ends when its simulator does, says so, and not with 0', async (t) => {
    const { run, simulatorPid } = await runningSim(t);
    process.kill(simulatorPid, 'SIGKILL');
    const { code, err } = await run.ended;
    assert.equal(code, 1);
    assert.match(err, /poid: the simulator has ended\n$/);
  });
});

describe('what is taken already', () => {
  async function takenPort(t: TestContext): Promise<string> {
    const server = net.createServer().listen(0);
    await new Promise((resolve) => server.once('listening', resolve));
    t.after(() => server.close());
    return String((server.address() as net.AddressInfo).port);
  }

  for (const flag of ['--port', '--screen-port', '--sim-port']) {
    test(`${flag}: a sentence with the port, exit code 1, nothing is left`, async (t) => {
      const port = await takenPort(t);
      const dir = await ownDirectory(t);
      const run = new Poid(t, ['run', '--sim', ...freePorts, '--sim-port', '0', flag, port], { cwd: dir });
      const { code, out, err } = await run.ended;
      assert.equal(code, 1);
      assert.equal(out, '');
      assert.match(err, new RegExp(`${port}[^\n]*in use`));
      assert.doesNotMatch(err, /\n {4}at /);
      assert.deepEqual(
        processes().filter(({ parent }) => parent === run.pid),
        [],
      );
    });
  }

  test('the state directory and the simulator’s: a sentence each, exit code 1, the first runs on', async (t) => {
    const { dir, api } = await runningSim(t);
    const sim = new Poid(t, ['sim', '--sim-port', '0'], { cwd: dir });
    const configuration = path.join(dir, '.poid/sim/poid.json');
    const run = new Poid(t, ['run', '--config', configuration, '--state-dir', '.poid/state', ...freePorts], {
      cwd: dir,
    });
    const [simEnded, runEnded] = await Promise.all([sim.ended, run.ended]);
    assert.equal(simEnded.code, 1);
    assert.match(simEnded.err, /a simulator runs in [^\n]* already[^\n]*\n$/);
    assert.equal(runEnded.code, 1);
    assert.match(runEnded.err, /^poid: another poid runs on the state directory [^\n]*\n$/);
    assert.equal((await json(`${api}/sp/v1/status`)).ready, true);
  });
});

describe('poid run --config under systemd’s eyes', () => {
  test('is READY when it is up, and says whether a card can be taken', async (t) => {
    const dir = await ownDirectory(t);
    const simDir = path.join(dir, 'sim');
    const simFlags = ['sim', '--sim-port', '0', '--sim-dir', simDir, '--auto'];
    // One run of the simulator leaves a configuration, and no device at the paths that it names.
    const first = new Poid(t, simFlags);
    await first.said(/configuration/);
    first.kill('SIGTERM');
    assert.equal((await first.ended).code, 0);

    const socket = await NotifySocket.open(t);
    const state = ['--state-dir', path.join(dir, 'state'), ...freePorts];
    const configuration = path.join(dir, 'poid.json');
    const written: Json = JSON.parse(readFileSync(path.join(simDir, 'poid.json'), 'utf8'));
    writeFileSync(configuration, JSON.stringify({ ...written, logLevel: 'warn' }), { mode: 0o600 });
    const run = new Poid(t, ['run', '--config', configuration, ...state], {
      env: { NOTIFY_SOCKET: socket.address },
      program: await installedCommand(dir),
    });
    await socket.until((datagram) => datagram === 'READY=1');
    await run.said(/poid is up/);
    const [, port = ''] = /^ {2}terminal API {2}http:\/\/127\.0\.0\.1:(\d+)$/m.exec(run.out) ?? [];
    assert.equal(run.networkPort(), Number(port));
    const api = `http://127.0.0.1:${port}`;
    await socket.until(
      (datagram) =>
        datagram === `STATUS=listening on port ${port}; the card reader is not connected (nothing is there)`,
    );
    const status = await json(`${api}/sp/v1/status`);
    const { devices } = status;
    assert.deepEqual([status.ready, devices.reader.state, devices.reader.reason], [false, 'absent', 'unplugged']);
    assert.equal(run.err.match(/"code":"unplugged","device":"reader","reason":"[^"]*","state":"absent"/g)?.length, 1);
    assert.partialDeepStrictEqual(await json(`${api}/sp/v1/payment`, { ...sale, preferredEntryMode: 'CARD' }), {
      responseResult: 'ERROR',
      financialImpact: 'NONE',
      reason: 'cardReaderAbsent',
    });

    const second = new Poid(t, simFlags);
    const listening = (datagram: string) => datagram === `STATUS=listening on port ${port}`;
    await socket.until(listening);
    const answer = await json(`${api}/sp/v1/payment`, { ...sale, messageId: 'M-2' });
    assert.partialDeepStrictEqual(answer, { responseResult: 'SUCCESS' });

    // The reader goes and comes back: the start is over, so READY is not told again.
    second.kill('SIGTERM');
    await second.ended;
    const third = new Poid(t, simFlags);
    await third.said(/configuration/);
    while (socket.reported.filter(listening).length < 2) await socket.times(socket.reported.length + 1);
    run.kill('SIGTERM');
    assert.equal((await run.ended).code, 0);
    await socket.until((datagram) => datagram === 'STOPPING=1');
    assert.deepEqual(
      socket.reported.filter((datagram) => datagram === 'READY=1'),
      ['READY=1'],
    );
    assert.equal(socket.reported.at(-1), 'STOPPING=1');
  });

  test('the sources, which have no addon, say so once and sell all the same', async (t) => {
    const dir = await ownDirectory(t);
    const socket = await NotifySocket.open(t);
    const sim = ['--sim-port', '0', '--sim-dir', path.join(dir, 'sim'), '--auto'];
    const run = new Poid(t, ['run', '--sim', ...freePorts, ...sim, '--state-dir', path.join(dir, 'state')], {
      env: { NOTIFY_SOCKET: socket.address },
      program: sourcesCommand,
    });
    const [, api = ''] = await run.said(/terminal API {2}(http:\S+)\n/);
    assert.partialDeepStrictEqual(await json(`${api}/sp/v1/payment`, sale), { responseResult: 'SUCCESS' });
    assert.equal(run.err.match(/systemd is told nothing/g)?.length, 1);
    assert.match(run.err, /sd-notify\.node/);
    assert.deepEqual(socket.reported, []);
    run.kill('SIGTERM');
    assert.equal((await run.ended).code, 0);
  });
});
