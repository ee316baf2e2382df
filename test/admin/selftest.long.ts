import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Finding } from '../../src/admin/finding.ts';
import { machineAt } from '../../src/admin/machine.ts';
import type { Person } from '../../src/admin/selftest/person.ts';
import { runSelftest } from '../../src/admin/selftest/selftest.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { poid } from '../cli/poid.ts';
import { ServerEvents } from '../e2e/server-events.ts';
import { type Json, Stage } from '../e2e/stage.ts';

/** How long a test waits for somebody who does nothing. */
const shortMs = 300;

let stage: Stage;
before(async () => {
  stage = await Stage.open();
  await stage.stopDaemon('SIGTERM');
});
after(() => stage.close());
afterEach(async () => {
  await stage.fault('printer', { paperOut: false });
  await stage.fault('reader', { unplug: false });
  await stage.host('QR', { mode: 'up' });
});

/** A person at the simulated terminal, who does what is asked, or not. */
class Somebody implements Person {
  readonly #refused: RegExp;
  readonly reported: string[] = [];
  readonly done: Promise<unknown>[] = [];
  #page = '';

  constructor(refused = /^$/) {
    this.#refused = refused;
  }

  show(text: string): void {
    this.reported.push(text);
    this.#page = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? this.#page;
    if (this.#refused.test(text)) return;
    this.done.push(this.#act(text));
  }

  async confirm(question: string): Promise<boolean> {
    this.reported.push(question);
    return !this.#refused.test(question);
  }

  async #act(text: string): Promise<void> {
    if (text.startsWith('Hold a card')) await stage.tap('visa');
    else if (text.includes('PIN pad')) await stage.enterPin('1357');
    else if (text.includes('scanner')) await stage.scan('4006381333931');
    else if (text.startsWith('Touch Cancel')) await this.#touchCancel();
  }

  /** As the page does it: the view names the transaction. */
  async #touchCancel(): Promise<void> {
    const events = await ServerEvents.open(`${this.#page}/events`);
    const { transaction } = JSON.parse((await events.next())?.data ?? '');
    events.close();
    const headers = { origin: this.#page, 'content-type': 'application/json' };
    await fetch(`${this.#page}/action`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ kind: 'cancel', transaction }),
    });
  }
}

async function run(person?: Person, over: Json = {}, patience: Json = {}): Promise<Map<string, Finding>> {
  const screen = { port: 0 };
  const configuration = await loadConfiguration([stage.configuration], { screen, ...over });
  const options = { machine: machineAt(stage.dir), serialNumber: 'PT-1', ...(person ? { person } : {}), ...patience };
  const findings = await runSelftest(configuration, options);
  if (person instanceof Somebody) await Promise.all(person.done);
  return new Map(findings.map((each) => [each.part, each]));
}

function verdicts(found: ReadonlyMap<string, Finding>, ...parts: string[]): (string | undefined)[] {
  return parts.map((part) => found.get(part)?.verdict);
}

const byPerson = ['tap', 'PIN pad', 'scan', 'drawer', 'display', 'touch'];
const byItself = ['reader', 'printer', 'scanner', 'octopus', 'host EDC', 'host CUP', 'host EPS', 'host QR'];

describe('poid selftest, with simulated devices', () => {
  test('every part passes where a person does what is asked; nothing is paid', async () => {
    const person = new Somebody();
    const found = await run(person);
    for (const part of [...byItself, ...byPerson, 'printer page']) {
      assert.equal(found.get(part)?.verdict, 'PASS', JSON.stringify(found.get(part)));
    }
    assert.match(await stage.paper(), /SELF-TEST.*terminal PT-1/s);
    for (const id of ['EDC', 'CUP', 'EPS', 'QR'] as const) assert.deepEqual(await stage.ledger(id), []);
    assert.deepEqual(await stage.unexpected(), []);
  });

  test('without a person what needs one is skipped, with the reason', async () => {
    const found = await run();
    for (const part of byPerson) {
      assert.equal(found.get(part)?.verdict, 'SKIPPED');
      assert.match(found.get(part)?.detail ?? '', /person/);
    }
    assert.deepEqual(new Set(verdicts(found, ...byItself, 'printer page')), new Set(['PASS']));
  });

  test('each part fails where a person sees nothing, or can do nothing', async () => {
    const found = await run(new Somebody(/^(?!The terminal's page|Within)/), {}, { personMs: shortMs });
    for (const part of ['tap', 'scan', 'drawer', 'printer page', 'touch']) {
      assert.equal(found.get(part)?.verdict, 'FAIL', JSON.stringify(found.get(part)));
      assert.ok(found.get(part)?.remedy);
    }
    assert.deepEqual(verdicts(found, 'PIN pad', 'display'), ['SKIPPED', 'PASS']);
  });

  test('a dark display, and a PIN pad that nobody touches', async () => {
    const found = await run(new Somebody(/^Within|PIN pad/), {}, { personMs: shortMs });
    assert.deepEqual(verdicts(found, 'tap', 'PIN pad', 'display', 'touch'), ['PASS', 'FAIL', 'FAIL', 'SKIPPED']);
  });

  test('a printer without paper says so, and its drawer opens all the same', async () => {
    await stage.fault('printer', { paperOut: true });
    const found = await run(new Somebody(), {}, { personMs: shortMs });
    assert.deepEqual(verdicts(found, 'printer', 'printer page', 'drawer'), ['PASS', 'FAIL', 'PASS']);
    const { detail, remedy } = found.get('printer page') ?? {};
    assert.deepEqual([detail, remedy], ['the printer says paper-out', 'put in paper']);
  });

  test('devices that are not there: why, and what to do; what hangs on them is skipped', async () => {
    await stage.fault('reader', { unplug: true });
    const over = {
      printer: { driver: 'escpos', path: path.join(stage.dir, 'no-printer') },
      scanner: { driver: 'line', path: path.join(stage.dir, 'no-scanner') },
      octopus: { driver: 'agent', path: path.join(stage.dir, 'no-octopus') },
    };
    const found = await run(new Somebody(), over, { deviceMs: shortMs, personMs: shortMs });
    for (const part of ['reader', 'printer', 'scanner', 'octopus']) {
      assert.equal(found.get(part)?.verdict, 'FAIL', part);
    }
    assert.match(found.get('printer')?.detail ?? '', /nothing is there/);
    assert.match(found.get('printer')?.remedy ?? '', /plug it in/);
    const hanging = ['printer page', 'drawer', 'scan', 'tap', 'PIN pad'];
    assert.deepEqual(new Set(verdicts(found, ...hanging)), new Set(['SKIPPED']));
  });

  test('a wallet’s host that refuses the key, and a card host that nobody runs', async () => {
    const { acquirers } = JSON.parse(readFileSync(stage.configuration, 'utf8'));
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const changed = acquirers.map((each: Json) => ({
      ...each,
      ...(each.id === 'QR' ? { clientKey: 'ANOTHER-TEST-KEY' } : {}),
      ...(each.id === 'EDC' ? { port } : {}),
    }));
    const found = await run(undefined, { acquirers: changed });
    assert.deepEqual(verdicts(found, 'host QR', 'host EDC', 'host CUP'), ['FAIL', 'FAIL', 'PASS']);
  });

  test('a screen whose port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const found = await run(new Somebody(), { screen: { port } }, { personMs: shortMs });
    taken.close();
    assert.deepEqual(verdicts(found, 'display', 'touch'), ['FAIL', 'SKIPPED']);
    assert.match(found.get('display')?.detail ?? '', /EADDRINUSE/);
  });

  test('the command: JSON, exit code by a failure, and never beside a running terminal', async (t) => {
    const flags = ['--config', stage.configuration, '--state-dir', stage.stateDir];
    const { code, out } = await poid(t, 'selftest', '--unattended', '--json', ...flags);
    const { findings, result } = JSON.parse(out) as { findings: Finding[]; result: string };
    const failed = findings.filter(({ verdict }) => verdict === 'FAIL').map(({ part }) => part);
    // What this machine itself lacks: a time server, a way out, a watchdog that is fed.
    assert.deepEqual(
      failed.filter((part) => !['clock', 'network', 'watchdog'].includes(part)),
      [],
    );
    assert.deepEqual([code, result], failed.length === 0 ? [0, 'PASS'] : [1, 'FAIL']);
    const file = path.join(stage.dir, 'absent.json');
    const scanner = { driver: 'line', path: path.join(stage.dir, 'none') };
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(stage.configuration, 'utf8')), scanner }));
    const worse = await poid(t, 'selftest', '--unattended', '--config', file, '--state-dir', stage.stateDir);
    assert.equal(worse.code, 1);
    assert.match(worse.out, /^FAIL +scanner +.*nothing is there\n +do: plug it in/m);
    await stage.startDaemon();
    const beside = await poid(t, 'selftest', '--unattended', ...flags);
    assert.equal(beside.code, 1);
    assert.match(beside.err, /^poid: the terminal runs .*stop it first/);
    await stage.stopDaemon('SIGTERM');
  });
});
