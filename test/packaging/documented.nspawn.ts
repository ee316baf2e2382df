import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { commands } from '../../src/admin/commands/table.ts';
import type { SampleName } from '../../src/config/methods.ts';
import { sampleNames } from '../../src/config/sample.ts';
import { menuRequest } from '../../src/operator/menu-request.ts';
import { Broker } from './machine/broker.ts';
import { type Call, callsOf, type Placeholders } from './machine/command-calls.ts';
import { until } from './machine/container.ts';
import { menuCalls } from './machine/menu-calls.ts';
import { address, DocumentedTerminal, shellOf } from './machine/documented.ts';
import { Screen } from './machine/screen.ts';
import { Till } from './machine/till.ts';

const password = '135792';

let terminal: DocumentedTerminal;
let screen: Screen;
let till: Till;
before(async () => {
  terminal = await DocumentedTerminal.boot();
  await terminal.install();
});
after(() => terminal.close());

/** Every way in which a terminal of `poid config sample` is paid: what the till asks, and what the customer does. */
const ways: Readonly<Record<SampleName, readonly (() => Promise<object>)[]>> = {
  EDC: [() => till.pays('--card visa --sim'), () => till.pays('--card mastercard --entry insert --pin 1234 --sim')],
  CUP: [() => till.pays('--card unionpay --pin 1234 --sim')],
  EPS: [
    () =>
      till.pays('--method EPS --card eps --pin 1357 --sim', ['chooseAccount', { kind: 'account', account: 'SAVINGS' }]),
  ],
  QR: [
    () => till.pays('--method ALIPAY --entry-mode QR_SCAN --sim'),
    () => till.pays('--method ALIPAY --entry-mode QR_PRESENT --sim'),
  ],
  OCTOPUS: [() => till.pays('--method OCTOPUS --card octopus --sim')],
  CASH: [() => till.pays('--method CASH', ['tenderCash', { kind: 'tender', amount: '50' }])],
};

/** Two more sales for the commands. */
async function placeholders(broker: Broker | undefined): Promise<Placeholders> {
  const [{ terminalTransactionId: sale = '', messageId = '' }, { terminalTransactionId: other = '' }] = [
    await till.pays('--card visa --sim'),
    await till.pays('--card visa --sim'),
  ];
  return { terminal: till.flags, sale, other, messageId, file: '/root/PT-000123.json', broker: broker?.flags };
}

/** The commands of docs/pairing.md at the till: both calls reach the terminal, which answers 401 because it knows no key. */
async function trustByAddress(): Promise<void> {
  const commandsOfTill = shellOf('pairing.md', 'openssl s_client');
  const reported = commandsOfTill.replaceAll('curl ', 'curl -sS -w "status %{http_code}\\n" ');
  const said = await terminal.container.beside(`cd $(mktemp -d); ${reported}`);
  assert.equal(said.match(/status 401$/gm)?.length, 2, said);
}

async function ends({ as, words, code: documented, input = '' }: Call): Promise<void> {
  const command = `poid ${words}`;
  const run = {
    root: () => terminal.container.run(command, { input }),
    service: () => terminal.asService(command, input),
    till: () => terminal.asTill(command, input),
  };
  const { code, said } = await run[as]();
  assert.equal(code, documented, `${command}, as ${as}\n${said}`);
  // What can't be done is a sentence, not the stack of an exception.
  assert.doesNotMatch(said, /^ {4}at \S+/m, `${command}, as ${as}`);
}

for (const withCloud of [false, true]) {
  describe(`a terminal as the documents tell to install it, ${withCloud ? 'with cloud and fleet' : 'by itself'}`, () => {
    let broker: Broker | undefined;
    after(() => broker?.stop());

    test('the sample’s configuration is provisioned, tested and started, and nothing is wrong', async () => {
      const sample = await terminal.sample();
      if (withCloud) broker = await Broker.start(terminal);
      assert.deepEqual(await terminal.provision({ ...sample, ...broker?.settings }), []);
      assert.match(await terminal.container.unit('StatusText'), /^listening on port 8080$/);
      assert.deepEqual(await terminal.complaints(), []);
    });

    test('a till trusts its certificate by the address, as docs/pairing.md has it', async () => {
      await trustByAddress();
    });

    test('the operator sets a password, and pairs a till', async () => {
      await terminal.container.outputOf('poid operator-password', { input: `${password}\n` });
      screen = new Screen(terminal.container);
      await screen.login(password);
      till = await Till.pair(terminal, screen);
    });

    test('it is paid in every way that the sample has', async () => {
      for (const name of sampleNames) {
        for (const pay of ways[name]) {
          const { responseResult, message } = (await pay()) as Record<string, string>;
          assert.equal(responseResult, 'SUCCESS', `${name}: ${message}`);
        }
      }
    });

    test('every panel of the operator’s menu opens', async () => {
      const kinds = menuRequest.options.map(({ shape }) => shape.kind.value);
      assert.deepEqual(Object.keys(menuCalls).toSorted(), kinds.toSorted());
      const { terminalTransactionId: sale = '' } = await till.pays('--card visa --sim');
      let settlement = '';
      for (const kind of Object.keys(menuCalls) as (keyof typeof menuCalls)[]) {
        const { body, reason } = menuCalls[kind]({ sale, password, settlement });
        const { status, body: answer } = await screen.ask({ ...body, kind });
        const reported = `${kind}: ${status} ${JSON.stringify(answer)}`;
        assert.equal(answer.reason, reason, reported);
        if (reason === undefined) assert.equal(status, 200, reported);
        if ('responseResult' in answer) assert.equal(answer.responseResult, 'SUCCESS', reported);
        if (kind === 'settlements') settlement = answer.batches[0].settlement;
        if (kind === 'machine') {
          assert.deepEqual(answer.addresses, [`https://${address}:8080`]);
          const conditions = answer.devices.map(
            (each: Record<string, string>) => `${each['kind']}: ${each['condition']}`,
          );
          assert.deepEqual(conditions, ['reader: ready', 'printer: ready', 'scanner: ready', 'octopus: ready']);
        }
      }
    });

    if (withCloud) {
      test('a document that the fleet has signed is adopted', async () => {
        await broker?.publish();
        await till.isHeard();
      });
    }

    test('nothing of all this is in the log as a warning', async () => {
      // That the operator opened the drawer is one by intent.
      const complaints = (await terminal.complaints()).filter((line) => !line.includes('"msg":"drawer"'));
      assert.deepEqual(complaints, []);
    });

    test('every command ends as the table says, also within the unit’s restrictions', async () => {
      const reported: Placeholders = await placeholders(broker);
      const calls = commands.flatMap(({ name, exits }) => {
        const all = callsOf[name](reported);
        assert.ok(all.length > 0, name);
        for (const { code } of all)
          assert.ok(
            exits.some(([known]) => known === code),
            `${name}: ${code} is documented`,
          );
        return all;
      });
      // Each caller does one thing after the other.
      const callers = (['root', 'service', 'till'] as const).map(async (caller) => {
        for (const each of calls.filter(({ as, stopped }) => as === caller && !stopped)) await ends(each);
      });
      await Promise.all(callers);
      await terminal.container.outputOf('systemctl stop poid');
      for (const each of calls.filter((call) => call.stopped)) await ends(each);
    });

    test('a factory reset leaves nothing of the shop', async () => {
      await terminal.container.outputOf('systemctl stop poid');
      await terminal.container.outputOf('poid factory-reset --yes PT-000123');
    });
  });
}

/** What is planted under a terminal that works, by a shell command, and what takes it back. */
interface Fault {
  readonly what: string;
  readonly plant: string;
  readonly mend: string;
  /** How the service, its log and `poid doctor` name it. */
  readonly named: RegExp;
}

const state = '/var/lib/poid';
const file = '/etc/poid/poid.json';
const ofAnother = (name: string): Fault => ({
  what: `${name} belongs to another user`,
  plant: `chown nobody:nogroup ${name}; chmod 600 ${name}`,
  mend: `chown poid:poid ${name}`,
  named: new RegExp(name.replaceAll('.', '\\.')),
});
const faults: readonly Fault[] = [
  ofAnother(`${state}/tls.pem`),
  ofAnother(`${state}/pairings.json`),
  ofAnother(`${state}/journal.db`),
  { ...ofAnother(file), mend: `chown root:poid ${file}; chmod 640 ${file}` },
  {
    what: 'nobody may read the configuration',
    plant: `chmod 000 ${file}`,
    mend: `chmod 640 ${file}`,
    named: /poid\.json can't be read \(EACCES\)/,
  },
  {
    what: 'nobody may enter the directory of the configuration',
    plant: 'chmod 700 /etc/poid',
    mend: 'chmod 750 /etc/poid',
    named: /poid\.json can't be read \(EACCES\)/,
  },
  {
    what: 'a directory is in the place of the configuration',
    plant: `mv ${file} /root/kept.json; mkdir ${file}`,
    mend: `rmdir ${file}; mv /root/kept.json ${file}`,
    named: /poid\.json is not a regular file/,
  },
];

describe('a fault of the installation is noticed', () => {
  before(async () => {
    await terminal.provision(await terminal.sample());
    await terminal.container.outputOf('poid operator-password', { input: `${password}\n` });
    screen = new Screen(terminal.container);
    await screen.login(password);
    till = await Till.pair(terminal, screen);
    assert.deepEqual(await terminal.complaints(), []);
  });

  for (const { what, plant, mend, named } of faults) {
    test(what, async (t) => {
      const { container } = terminal;
      await container.outputOf(`systemctl stop poid; ${plant}`);
      t.after(() => container.outputOf(`systemctl stop poid; ${mend}`));
      const { code } = await container.run('systemctl start poid');
      assert.notEqual(code, 0);
      assert.equal(await container.unit('ExecMainStatus'), '1');
      // Whoever asks while systemd tries again and again is told why.
      await until('the status names it', 30_000, async () =>
        named.test(await container.unit('StatusText')) ? true : undefined,
      );
      assert.match((await container.run('systemctl status --no-pager poid')).said, named);
      const complaints = await terminal.complaints();
      assert.ok(
        complaints.some((each) => each.startsWith('unit: ')),
        complaints.join('\n'),
      );
      assert.match((await terminal.failing('poid doctor')).join('\n'), named);
    });
  }

  test('all of it taken back: nothing is wrong any more', async () => {
    await terminal.container.start();
    assert.deepEqual(await terminal.complaints(), []);
  });

  test('the unit forbids AF_NETLINK: it starts and answers, and log, certificate and menu show the lack', async () => {
    const { container } = terminal;
    const folder = '/run/systemd/system/poid.service.d';
    const input = '[Service]\nRestrictAddressFamilies=~AF_NETLINK\n';
    await container.outputOf(`mkdir -p ${folder}; cat > ${folder}/planted.conf; systemctl daemon-reload`, { input });
    await container.outputOf(`systemctl stop poid; rm ${state}/tls.pem`);
    await container.start();
    const complaints = await terminal.complaints();
    assert.ok(
      complaints.some((each) => /can't be listed .*AF_NETLINK/.test(each)),
      complaints.join('\n'),
    );
    await assert.rejects(trustByAddress(), /no alternative certificate subject name|does not match/);
    await screen.login(password);
    const { status, body } = await screen.ask({ kind: 'machine' });
    assert.deepEqual([status, body.addresses, body.addressesUnknown], [200, [], true]);
    await container.outputOf(`rm -r ${folder}; systemctl daemon-reload; systemctl stop poid; rm ${state}/tls.pem`);
    await container.start();
    assert.deepEqual(await terminal.complaints(), []);
    await trustByAddress();
  });
});
