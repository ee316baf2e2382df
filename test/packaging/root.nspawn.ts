import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commands } from '../../src/admin/commands/table.ts';
import { processFlags } from '../../src/admin/snapshot-command.ts';
import { Container, freshRoot, removeRoot, until } from './machine/container.ts';
import { packageFile } from './machine/packages.ts';
import { type RootCall, rootCalls } from './machine/root-calls.ts';
import { Shop } from './machine/shop.ts';
import { forge, plant, type Scope, scopes, type Trap, traps } from './machine/traps.ts';

/** No command takes so long, whatever it finds; `fleet update-agent` is ended. */
const commandS = 40;
const endlessS = 8;
const secret = 'root:$6$secret';
/** A sale in a journal that root alone may read. */
const secretSale = 'sold-4711';
const asService = 'setpriv --reuid=poid --regid=poid --clear-groups';
const imageUnits = fileURLToPath(new URL('../../image/files/usr/lib/systemd/system', import.meta.url));

let root: string;
let container: Container;
let shop: Shop;
before(async () => {
  root = freshRoot();
  for (const name of ['poid', 'poid-sim'] as const)
    cpSync(packageFile(name), path.join(root, 'root', path.basename(packageFile(name))));
  mkdirSync(path.join(root, 'etc/avahi/services'), { recursive: true });
  mkdirSync(path.join(root, 'traps'));
  writeFileSync(path.join(root, 'traps/plant'), plant, { mode: 0o755 });
  writeFileSync(path.join(root, 'traps/forge.mjs'), forge);
  for (const unit of ['poid-update.service', 'poid-hostname.service'])
    cpSync(path.join(imageUnits, unit), path.join(root, 'etc/systemd/system', unit));
  container = await Container.boot(root);
  shop = new Shop(container);
  await container.outputOf('dpkg -i /root/poid_*.deb /root/poid-sim_*.deb');
  await shop.provision();
  assert.equal((await shop.sell(secretSale)).responseResult, 'SUCCESS');
  assert.equal((await shop.settle('settled')).responseResult, 'SUCCESS');
  const settings = JSON.parse(await container.outputOf('cat /var/lib/poid-sim/poid.json')) as object;
  const input = JSON.stringify({ ...settings, serialNumber: 'TEST-1', timeZone: 'Asia/Hong_Kong' });
  await container.outputOf('cat > /root/in.json', { input });
  // A service that is started by a trap's test must not start over and over.
  await container.outputOf('mkdir -p /etc/systemd/system/poid.service.d');
  await container.outputOf('cat > /etc/systemd/system/poid.service.d/once.conf', { input: '[Service]\nRestart=no\n' });
  await container.outputOf('systemctl daemon-reload; systemctl stop poid');
  await container.outputOf(
    'mkdir -p /saved/etc /etc/credstore /etc/credstore.encrypted; cp -a /var/lib/poid /saved; cp -a /etc/poid /etc/credstore /etc/credstore.encrypted /saved/etc',
  );
});
after(async () => {
  await container.stop();
  removeRoot(root);
});

/** The terminal as it was sold with, and files of root's that no trap may change. */
async function restore(): Promise<void> {
  await container.outputOf(
    `systemctl stop poid; systemctl reset-failed; rm -rf /var/lib/poid/* /etc/poid /etc/credstore /etc/credstore.encrypted /victim /run/executed;
    cp -a /saved/poid/. /var/lib/poid; cp -a /saved/etc/. /etc
    mkdir -m 755 /victim; printf '${secret}\\n' > /victim/shadow; chown root:shadow /victim/shadow; chmod 640 /victim/shadow
    cp --preserve=timestamps /saved/poid/journal.db /victim/journal.db; chmod 600 /victim/journal.db`,
  );
}

const victims = () =>
  container.outputOf(
    `find /victim /etc/shadow /etc/passwd -printf '%p %y %u %g %m %s %n\\n' | sort; sha256sum /victim/shadow /victim/journal.db /etc/shadow /etc/passwd`,
  );

/** Plants, does something as root, and fails where that has changed a file of root's, told what is in one, ran code, or hung. */
async function tempt(trap: Trap, scope: Scope, what: string, act: () => Promise<{ code: number; said: string }>) {
  const untouched = await victims();
  const planting = container.run(`rm -f /run/over; ${asService} perl /traps/plant ${trap} ${scope}`);
  if (trap === 'swapping')
    await until(
      'it swaps',
      20_000,
      async () => (await container.run('test -L /var/lib/poid/tls.pem')).code === 0 || undefined,
    );
  else assert.equal((await planting).code, 0);
  const { code, said } = await act();
  await container.outputOf('touch /run/over');
  await planting;
  assert.ok(code !== 124 && code !== 137, `${what} hangs at ${trap}, ${scope}:\n${said}`);
  assert.ok(!said.includes(secret) && !said.includes(secretSale), `${what} reveals:\n${said}`);
  const foreign = await container.outputOf('find /var/lib/poid ! -user poid');
  assert.equal(foreign, '', `${what} at ${trap}, ${scope} has not worked with the rights of the directory's owner`);
  assert.doesNotMatch(said, /^\s+at .*:\d+:\d+\)?$/m, `${what} at ${trap}, ${scope}`);
  assert.equal(await victims(), untouched, `${what} at ${trap}, ${scope}:\n${said}`);
  assert.notEqual(
    (await container.run('test -e /run/executed')).code,
    0,
    `${what} executes what the service has written`,
  );
}

function call({ words, input = '' }: RootCall, env: Record<string, string> = {}) {
  const limit =
    words === 'fleet update-agent' ? `timeout --preserve-status -k 5 ${endlessS}` : `timeout -k 5 ${commandS}`;
  return container.run(`${limit} poid ${words}`, { input, env });
}

const pairs = traps.flatMap((trap) => scopes.map((scope) => `${trap} ${scope}`));
/** How many pairs of a trap and a scope are tried besides links everywhere, and the first of them: for every change a few. */
const [pairCount = pairs.length, firstPair = 0] = (process.env['POID_TRAPS'] ?? '')
  .split(':')
  .filter(Boolean)
  .map(Number);

function isTried(trap: Trap, scope: Scope): boolean {
  const others = pairs.filter((each) => each !== 'link all');
  const place = others.indexOf(`${trap} ${scope}`);
  return place === -1 || (place - (firstPair % others.length) + others.length) % others.length < pairCount;
}

const called = commands.flatMap(({ name }) => rootCalls[name]);
const removing = (calls: readonly RootCall[]) =>
  calls.toSorted(
    (one, other) => Number(one.words.startsWith('factory-reset')) - Number(other.words.startsWith('factory-reset')),
  );

describe('the service’s user against root', () => {
  test('every command of the table is called', () => {
    for (const { name } of commands) assert.ok((rootCalls[name]?.length ?? 0) > 0, `${name} has no call`);
  });

  test('the traps are traps: root’s own shell changes, reveals and hangs', async () => {
    await restore();
    const before = await victims();
    await container.outputOf(`${asService} perl /traps/plant link all; echo x >> /var/lib/poid/operator.json`);
    assert.notEqual(await victims(), before);
    await restore();
    await container.outputOf(`${asService} perl /traps/plant fifo all`);
    assert.equal((await container.run('timeout 1 cat /var/lib/poid/fleet.json')).code, 124);
  });

  for (const trap of traps) {
    for (const scope of scopes) {
      if (!isTried(trap, scope)) continue;
      const calls = called.filter(({ isApart }) => !isApart || (trap === 'link' && scope === 'all'));
      test(`${trap}, ${scope}: ${calls.length} commands`, async () => {
        for (const each of removing(calls)) {
          await restore();
          await tempt(trap, scope, `poid ${each.words}`, () => call(each));
        }
      });

      test(`${trap}, ${scope}: the units`, async () => {
        for (const unit of ['poid', 'poid-announce', 'poid-hostname']) {
          await restore();
          await tempt(trap, scope, unit, () =>
            container.run(`timeout -k 5 ${commandS} systemctl start ${unit} 2>&1; [ $? != 124 ]`),
          );
        }
        await restore();
        await tempt(trap, scope, 'tmpfiles', () => container.run('timeout 20 systemd-tmpfiles --create poid.conf'));
      });
    }
  }

  test('the scripts of the package', async () => {
    for (const trap of ['link', 'fifo', 'directory'] as const) {
      await restore();
      await tempt(trap, 'all', 'an upgrade', () =>
        container.run('timeout 100 dpkg -i /root/poid_*.deb', { env: { POID_UPGRADE_WAIT: '1' } }),
      );
      await container.outputOf('systemctl stop poid || true');
      await tempt(trap, 'all', 'the removal', () => container.run('timeout 100 dpkg --force-depends --remove poid'));
      await tempt(trap, 'all', 'the purge', () => container.run('timeout 100 dpkg --force-depends --purge poid'));
      await container.outputOf('dpkg -i /root/poid_*.deb; systemctl stop poid');
    }
  });

  test('the doctor sees of the state directory what the service may see', async () => {
    await restore();
    const own = JSON.parse(await container.outputOf('cat /etc/poid/poid.json')) as { http?: object };
    await container.outputOf('cat > /etc/poid/poid.json', {
      input: JSON.stringify({ ...own, http: { ...own.http, tls: true } }),
    });
    await container.start();
    await container.outputOf('systemctl stop poid; mv /var/lib/poid/tls.pem /victim; chown root: /victim/tls.pem');
    const certificate = async () => {
      const { said } = await container.run('poid doctor --json');
      const { findings } = JSON.parse(said) as { findings: { part: string; verdict: string }[] };
      return findings.find(({ part }) => part === 'certificate')?.verdict;
    };
    await container.outputOf(`${asService} ln -s /victim/tls.pem /var/lib/poid/tls.pem`);
    assert.equal(await certificate(), 'SKIPPED');
    await container.outputOf('chown poid /victim/tls.pem');
    assert.equal(await certificate(), 'PASS');
  });

  test('a forged compile cache: no command and no unit executes it, the service’s own neither', async () => {
    await restore();
    const program = '/usr/lib/poid/dist/cli.js';
    const node = `/usr/lib/poid/bin/node`;
    await container.outputOf(
      `install -d -o poid -g poid /run/forging; HOME=/ ${asService} ${node} /traps/forge.mjs ${program} /run/forging /var/cache/poid ${processFlags.join(' ')}`,
    );
    const env = { NODE_COMPILE_CACHE: '/var/cache/poid' };
    // Node by itself takes it: the launcher must not let it.
    await container.run(`${node} ${processFlags.join(' ')} ${program} announce`, { env });
    await container.outputOf('rm /run/executed');
    for (const each of removing(called)) {
      await restore();
      await call(each, env);
      assert.notEqual((await container.run('test -e /run/executed')).code, 0, each.words);
    }
    await restore();
    // Without its snapshot, the service starts from the program whose code was forged.
    await container.outputOf(`${asService} touch /var/cache/poid/unclean`);
    for (const unit of ['poid', 'poid-announce', 'poid-hostname']) await container.run(`systemctl restart ${unit}`);
    const main = await container.outputOf('systemctl show --property=MainPID --value poid');
    assert.doesNotMatch(
      await container.outputOf(`tr '\\0' '\\n' < /proc/${main.trim()}/environ`),
      /^NODE_COMPILE_CACHE=/m,
    );
    for (const mark of ['/run/executed', '/var/lib/poid/executed'])
      assert.notEqual((await container.run(`test -e ${mark}`)).code, 0, mark);
  });

  test('a forged fleet.json: hawkBit’s token goes to no other server', async () => {
    await restore();
    const configuration = JSON.parse(await container.outputOf('cat /etc/poid/poid.json')) as object;
    const more = {
      updates: { url: 'http://127.0.0.1:7001', pollMs: 1_000 },
      cloud: { url: 'mqtt://127.0.0.1:1', terminal: 'T-1' },
      fleet: { publicKeys: ['czAIcfRMFo58lJ3ix1DmDCybuP9TABfFomcjTpy0244='] },
    };
    await container.outputOf('cat > /etc/poid/poid.json', { input: JSON.stringify({ ...configuration, ...more }) });
    await container.outputOf('mkdir -p /etc/credstore; printf SECRET-TOKEN > /etc/credstore/poid.plain-update-token');
    const set = { updates: { url: 'http://127.0.0.1:7002', pollMs: 1_000 } };
    const forged = JSON.stringify({ good: { version: 7, digest: 'x', configuration: set } });
    await container.outputOf(
      `${asService} sh -c 'cat > /var/lib/poid/fleet.json; chmod 600 /var/lib/poid/fleet.json'`,
      {
        input: forged,
      },
    );
    const listen = `const http = require('node:http'), fs = require('node:fs');
      for (const port of [7001, 7002]) http.createServer((request, response) => {
        fs.appendFileSync('/run/asked', port + ' ' + request.headers.authorization + '\\n');
        response.writeHead(404).end();
      }).listen(port, '127.0.0.1');`;
    await container.outputOf('cat > /run/listen.cjs', { input: listen });
    await container.outputOf('systemd-run --quiet --unit=listening /usr/lib/poid/bin/node /run/listen.cjs');
    await container.outputOf('systemctl daemon-reload; systemctl start poid-update');
    await until('its own server was asked', 60_000, async () =>
      (await container.run('grep 7001 /run/asked')).code === 0 ? true : undefined,
    );
    await container.outputOf('systemctl stop poid-update listening');
    const asked = await container.outputOf('cat /run/asked');
    assert.match(asked, /^7001 TargetToken SECRET-TOKEN$/m);
    assert.doesNotMatch(asked, /^7002/m);
  });

  test('what root’s commands keep is root’s alone, and the service reads none of it', async () => {
    await restore();
    assert.equal(
      await container.outputOf(
        'stat -c "%U:%G %a" /var/lib/poid-admin /var/lib/poid-admin/audit.jsonl /etc/poid /etc/poid/serial-number',
      ),
      'root:root 700\nroot:root 600\nroot:poid 750\nroot:poid 644',
    );
    for (const words of [
      'cat /var/lib/poid-admin/audit.jsonl',
      'sh -c "echo x >> /var/lib/poid-admin/audit.jsonl"',
      'sh -c "echo x > /etc/poid/serial-number"',
      'touch /etc/poid/other',
    ])
      assert.notEqual((await container.run(`${asService} ${words}`)).code, 0, words);
  });

  test('the announcement has no right of the service’s, nor root’s, and writes its file', async () => {
    await restore();
    // The simulator's configuration listens on loopback alone, of which no till is told.
    const own = JSON.parse(await container.outputOf('cat /etc/poid/poid.json')) as { http?: object };
    const http = { ...own.http, host: '0.0.0.0', tls: true };
    await container.outputOf('cat > /etc/poid/poid.json', { input: JSON.stringify({ ...own, http }) });
    await container.outputOf('rm -f /etc/avahi/services/*');
    await container.start();
    // A job of it that is queued or running counts as this one.
    await container.run('systemctl start poid-announce');
    const log = await container.outputOf('journalctl --sync; journalctl -u poid-announce -n 20 --no-pager');
    const { said } = await container.run('cat /etc/avahi/services/poid.service');
    assert.match(said, /<txt-record>fp=(?:[\dA-F]{2}:){31}[\dA-F]{2}</, log);
    assert.equal(await container.outputOf('stat -c %U:%a /etc/avahi/services/poid.service'), 'poid-announce:644');
    assert.doesNotMatch(await container.outputOf('cat /lib/systemd/system/poid*.service'), /^Exec\w+=[-@:]*[+!]/m);
  });
});
