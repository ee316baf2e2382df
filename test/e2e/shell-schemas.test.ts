import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { commands } from '../../src/admin/commands/table.ts';
import { commandSchema, plantedAndTaken, schemaFileOf, schemaFolder } from '../support/command-schema.ts';
import { type Ended, ShellTill } from './shell-till.ts';
import { eventually, type Json, Stage } from './stage.ts';

/** Each command's --json, from a real terminal, is as its schema in docs/schemas says. */

const withJson: readonly string[] = commands
  .filter(({ options = [] }) => options.some(({ flag }) => flag === 'json'))
  .map(({ name }) => name);

/**
 * Commands that need a broker, or that run during payments: test/fleet/terminal.test.ts, trace.test.ts and
 * certify.test.ts run them, and check their schemas.
 */
const elsewhere: readonly string[] = ['fleet status', 'trace', 'certify'];

let stage: Stage;
let openApi: Json;
let sold: Json;
before(async () => {
  stage = await Stage.open();
  openApi = await (await fetch(`${stage.apiUrl}/openapi.json`)).json();
  ({ body: sold } = await stage.paid('visa', { posId: 'SHELL' }));
});
after(() => stage.close());

async function run(command: string, ...words: string[]): Promise<Ended> {
  const shell = new ShellTill(stage.apiUrl, [...command.split(' '), ...words, '--json']);
  shell.type('');
  return shell.ended;
}

/** The documents on standard output, each of which is as the schema of the command says. */
function documentsOf(command: string, { out, err }: Ended): Json[] {
  const schema = commandSchema(command, openApi);
  const documents = out.split('\n').slice(0, -1);
  assert.ok(documents.length > 0, err);
  return documents.map((line) => {
    const { success, error } = schema.safeParse(JSON.parse(line));
    assert.ok(success, `${line}\n${error?.message}`);
    return JSON.parse(line);
  });
}

/** All but the end of a line. */
const controls = /[^\P{Cc}\n]/u;

const sim = () => ['--sim', stage.simUrl, '--card', 'visa'];
const ofJournal = () => ['--state-dir', stage.stateDir];
const ofShop = () => ['--config', stage.configuration, ...ofJournal()];

/** A document of docs/fleet.md. */
const extract = { kind: 'extract', id: 'E-1', for: { terminal: 'T-1' }, notAfter: '2036-01-01T00:30:00Z', what: 'log' };

/** A machine's file system, as the kernel lays it out: a reader of the configuration is plugged in. */
async function machineWithReader(product = 'VP3300'): Promise<string> {
  const root = path.join(stage.dir, `machine-${product.length}`);
  const device = path.join(root, 'sys/devices/usb1/1-1');
  await mkdir(path.join(device, '1-1:1.0'), { recursive: true });
  const attributes = { idVendor: '0acd', idProduct: '4310', manufacturer: 'ID TECH', product, serial: 'A1' };
  for (const [name, value] of Object.entries(attributes)) await writeFile(path.join(device, name), `${value}\n`);
  await mkdir(path.join(root, 'sys/class/tty/ttyACM0'), { recursive: true });
  await symlink(path.join(device, '1-1:1.0'), path.join(root, 'sys/class/tty/ttyACM0/device'));
  await mkdir(path.join(root, 'dev'));
  await writeFile(path.join(root, 'dev/ttyACM0'), '');
  return root;
}

let noTerminal: Server | undefined;
after(() => noTerminal?.close().closeAllConnections());

async function portOfNoTerminal(): Promise<number> {
  noTerminal = createServer((_request, response) => response.end('no')).listen(0, '127.0.0.1');
  await once(noTerminal, 'listening');
  return (noTerminal.address() as AddressInfo).port;
}

/** Whether this machine has an address in a network. */
function hasAddress(): boolean {
  return Object.values(networkInterfaces())
    .flat()
    .some((each) => each?.internal === false);
}

/** The words of a call, and its exit code. In this order: some need what others did. */
const calls: Readonly<Record<string, () => Promise<readonly [words: readonly string[], code: number]>>> = {
  pay: async () => [['30', ...sim(), '--id', 'S-1'], 0],
  refund: async () => [['10', '--of', sold.terminalTransactionId, ...sim()], 0],
  enquire: async () => [['S-1'], 0],
  cancel: async () => {
    const { request, answer } = stage.begun({ posId: 'SHELL' });
    void answer;
    await eventually(
      () => stage.bench(),
      ({ reader }) => reader.armed,
    );
    return [[request.messageId], 0];
  },
  void: async () => {
    const { body } = await stage.paid('visa', { posId: 'SHELL' });
    return [[body.terminalTransactionId], 0];
  },
  transactions: async () => [[], 0],
  report: async () => [[], 0],
  status: async () => [[], 0],
  events: async () => [[], 0],
  print: async () => {
    await writeFile(path.join(stage.dir, 'order.txt'), 'Table 12\n');
    return [[path.join(stage.dir, 'order.txt')], 0];
  },
  unsettled: async () => {
    await stage.stopDaemon('SIGTERM');
    return [ofShop(), 3];
  },
  // It judges the machine too: one without a network fails.
  selftest: async () => [['--unattended', ...ofShop()], hasAddress() ? 0 : 1],
  settle: async () => {
    await stage.startDaemon();
    return [['EDC'], 0];
  },
  'journal list': async () => [ofJournal(), 0],
  'journal show': async () => [['S-1', ...ofJournal()], 0],
  'journal verify': async () => [ofJournal(), 0],
  'journal export': async () => [ofJournal(), 0],
  'journal settlements': async () => [ofJournal(), 0],
  logs: async () => {
    await writeFile(path.join(stage.dir, 'poid.log'), stage.log);
    return [['S-1', '--file', path.join(stage.dir, 'poid.log')], 0];
  },
  doctor: async () => {
    // At its screen's port is what is no terminal: whatever else runs on this machine is not asked.
    const port = await portOfNoTerminal();
    const configuration = JSON.parse(await readFile(stage.configuration, 'utf8'));
    const file = path.join(stage.dir, 'doctor.json');
    await writeFile(file, JSON.stringify({ ...configuration, screen: { ...configuration.screen, port } }));
    return [['--config', file, ...ofJournal()], 1];
  },
  'config check': async () => {
    await writeFile(path.join(stage.dir, 'wrong.json'), '{"shop": {"name": 1}}');
    return [[path.join(stage.dir, 'wrong.json')], 1];
  },
  'config dialect': async () => [['EDC', '--sample', 'sale'], 0],
  devices: async () => [['--root', await machineWithReader()], 0],
  'fleet sign': async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const [key, file] = [path.join(stage.dir, 'fleet.key'), path.join(stage.dir, 'document.json')];
    await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await writeFile(file, JSON.stringify(extract));
    return [[file, '--key', key], 0];
  },
};

test('every command that has --json has a schema and is called here; no schema is without its command', () => {
  assert.deepEqual(readdirSync(schemaFolder).toSorted(), withJson.map(schemaFileOf).toSorted());
  assert.deepEqual([...Object.keys(calls), ...elsewhere].toSorted(), withJson.toSorted());
});

/** What is described of a line of the log: its other fields belong to what it tells. */
const describedOf: Readonly<Record<string, readonly string[]>> = { logs: ['level', 'time', 'msg'] };
/** A log has many lines, and all of the same schema. */
const plantedMost = 5;

for (const [command, call] of Object.entries(calls)) {
  test(`poid ${command} --json`, async () => {
    const [words, code] = await call();
    const ended = await run(command, ...words);
    const documents = documentsOf(command, ended);
    assert.equal(ended.code, code, ended.out + ended.err);
    const schema = commandSchema(command, openApi);
    const takes = (document: unknown) => schema.safeParse(document).success;
    for (const each of documents.slice(0, plantedMost)) {
      assert.deepEqual(plantedAndTaken(each, takes, describedOf[command]), [], 'what is wrong is refused');
    }
  });
}

test('what the terminal refuses is described, too; and a field that nobody described is a fault', async () => {
  const refused = await run('pay', '30', '--type', 'AUTH', '--method', 'cash');
  assert.equal(refused.code, 1);
  const [fault] = documentsOf('pay', refused);
  assert.notEqual(fault.responseResult, 'SUCCESS');
  const verified = { result: 'ok', transactions: 1, rows: 1, unreadable: 0 };
  assert.ok(commandSchema('journal verify').safeParse(verified).success);
  assert.ok(!commandSchema('journal verify').safeParse({ ...verified, more: 1 }).success);
  assert.ok(!commandSchema('pay', openApi).safeParse({ responseResult: 'SUCCESS' }).success);
});

test('no control character leaves with --json: DEL and C1 are escaped, and mean the same', async () => {
  const hidden = '\u009b31mred\u007f\u0080\u009f';
  const { out } = await run('devices', '--root', await machineWithReader(hidden));
  assert.doesNotMatch(out, controls);
  assert.match(out, /\\u009b31mred\\u007f\\u0080\\u009f/);
  const [{ devices }] = documentsOf('devices', { out, err: '', code: 0 });
  assert.equal(devices[0].name, `ID TECH ${hidden}`);
});

test('what a person reads without --json has them written out, too: a device, a file, a line of the log', async () => {
  const hidden = '\u001b[2J\u009b31m\u202e';
  const written = '\\u{1b}[2J\\u{9b}31m\\u{202e}';
  const file = path.join(stage.dir, `${hidden}.json`);
  await writeFile(file, `{"${hidden}": 1}`);
  const log = path.join(stage.dir, 'other.log');
  await writeFile(
    log,
    `${hidden} of systemd\n{"level":30,"time":0,"msg":"\\u001b[2J\u009b31m\u202e"}\n{"${hidden}":1}\n`,
  );
  for (const words of [
    ['devices', '--root', await machineWithReader(`${hidden} and more`)],
    ['config', 'check', file],
    ['logs', '--file', log],
  ]) {
    const shell = new ShellTill(stage.apiUrl, words);
    shell.type('');
    const { out, err } = await shell.ended;
    assert.doesNotMatch(out + err, /[^\P{C}\n]/u, words[0]);
    assert.ok((out + err).includes(written), out + err);
  }
});

test('neither does what a terminal answers, tells as an event, or has in its log', async (t) => {
  const text = JSON.stringify({ responseResult: 'SUCCESS', state: 'idle', message: '\u009b2J', level: 30 });
  const server = createServer(({ url = '' }, response) => {
    const isStream = url.includes('/events');
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
    response.write(isStream ? `event: state\ndata: ${text}\n\n` : text);
    if (!isStream) response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const at = ['--terminal', `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
  const file = path.join(stage.dir, 'hostile.log');
  await writeFile(file, `${text}\n`);
  for (const [command, ...words] of [
    ['status', ...at],
    ['transactions', ...at],
    ['events', ...at],
    ['logs', '--file', file],
  ] as const) {
    const { out, err } = await run(command, ...words);
    assert.doesNotMatch(out, controls, command);
    assert.ok(out.includes('"\\u009b2J"'), `${command}: ${out}${err}`);
  }
});
