import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Container, freshRoot, removeRoot, until } from './machine/container.ts';
import { built, packageFile, repackAs } from './machine/packages.ts';
import { Shop } from './machine/shop.ts';

const later = '99.0.0';
const first = '0.1.0';
const asService = 'setpriv --reuid=poid --regid=poid --clear-groups';
const shortWaits = { POID_UPGRADE_WAIT: '1', POID_STOP_WAIT: '3' };
const restartMs = 90_000;

/** A daemon that was taken over: up, it ignores SIGTERM, and asks systemd for another minute each second. */
const silentListener = String.raw`use IO::Socket::UNIX; use Socket;
$SIG{TERM} = 'IGNORE';
my $path = $ENV{NOTIFY_SOCKET}; $path =~ s/^@/\0/;
my $socket = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Peer => $path) or die $!;
$socket->send('READY=1');
while (1) { $socket->send("WATCHDOG=1\nEXTEND_TIMEOUT_USEC=60000000"); sleep 1 }
`;
/** Files of the service: $1 their directory, $2 how their names begin. Together the names are longer than the arguments of a program may be. */
const crowd = String.raw`my ($dir, $name) = @ARGV;
for (1 .. 12_000) { open my $file, '>', "$dir/$name$_" . ('x' x 230) or die $! }
`;
/** Finds the process that reads $1, and says whether its memory can be written. With $2 it stops the process instead. */
const meddle = String.raw`my ($file, $stops) = @ARGV;
for (my $end = time + 20; time < $end; select undef, undef, undef, 0.01) {
  for my $pid (map { m{(\d+)} } glob '/proc/[0-9]*') {
    open my $line, '<', "/proc/$pid/cmdline" or next;
    next unless join('', <$line>) =~ /^head\0.*\0\Q$file\E\0$/s;
    if ($stops) { print kill('STOP', $pid) ? "stopped\n" : "no\n" }
    else { print open(my $memory, '+<', "/proc/$pid/mem") ? "writable\n" : "no\n" }
    exit;
  }
}
print "nothing reads it\n";
`;

let dir: string;
let root: string;
let container: Container;
let shop: Shop;
before(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-taken-over-'));
  root = freshRoot();
  for (const version of [first, later]) {
    mkdirSync(path.join(dir, version));
    repackAs(version, path.join(dir, version));
  }
  for (const [from, to] of [
    [built, 'present'],
    [path.join(dir, later), 'later'],
    [path.join(dir, first), 'first'],
  ] as const) {
    for (const name of ['poid', 'poid-sim'] as const) {
      const file = packageFile(name, from);
      cpSync(file, path.join(root, 'root', to, path.basename(file)));
    }
  }
  mkdirSync(path.join(root, 'traps'));
  for (const [name, text] of Object.entries({ silentListener, crowd, meddle }))
    writeFileSync(path.join(root, 'traps', name), text);
  container = await Container.boot(root);
  shop = new Shop(container);
  await install('present');
  await shop.provision();
  await shop.ready();
});
after(async () => {
  await container.stop();
  removeRoot(root);
  rmSync(dir, { recursive: true });
});

const install = (from: 'first' | 'present' | 'later') =>
  container.outputOf(`dpkg -i ${from}/*.deb`, { cwd: '/root', env: shortWaits });
const isThere = async (file: string) => (await container.run(`test -e ${file}`)).code === 0;

/** Has a daemon that ignores SIGTERM in the place of the terminal's, and returns its process. The next start is the terminal's own again. */
async function takeOver(): Promise<string> {
  const place = '/run/systemd/system/poid.service.d';
  await container.outputOf(`mkdir -p ${place}; cat > ${place}/silent.conf; systemctl daemon-reload`, {
    input: '[Service]\nExecStart=\nExecStart=/usr/bin/perl /traps/silentListener\n',
  });
  await container.start('restart');
  await container.outputOf(`rm -r ${place}; systemctl daemon-reload`);
  const pid = await container.unit('MainPID');
  assert.equal(await container.outputOf(`cat /proc/${pid}/comm`), 'perl');
  return pid;
}

describe('the package against a service that was taken over', () => {
  test('an upgrade ends a daemon that ignores SIGTERM and asks for more time, and starts the terminal', async () => {
    const pid = await takeOver();
    assert.match(await install('later'), /has not stopped within 3 s: it is killed/);
    assert.ok(!(await isThere(`/proc/${pid}`)));
    await shop.ready();
    await install('present');
    await shop.ready();
  });

  test('a removal does too, and returns', async () => {
    const pid = await takeOver();
    const said = await container.outputOf('dpkg --force-depends --remove poid', { env: shortWaits });
    assert.match(said, /has not stopped within 3 s: it is killed/);
    assert.ok(!(await isThere(`/proc/${pid}`)));
    assert.notEqual((await container.run('systemctl is-active poid')).code, 0);
    await install('present');
    await shop.ready();
  });

  test('a restart that fails is reported, and the package is installed', async () => {
    const broken = 'case "$*" in *--no-block*restart*poid*) exit 1 ;; esac; exec /usr/bin/systemctl "$@"';
    await container.outputOf('cat > /usr/local/bin/systemctl; chmod 755 /usr/local/bin/systemctl', {
      input: `#!/bin/sh\n${broken}\n`,
    });
    const env = { ...shortWaits, PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
    const said = await container.outputOf('dpkg -i later/*.deb', { cwd: '/root', env });
    assert.match(said, /the service was not restarted, and the former version may still run/);
    await container.outputOf('rm /usr/local/bin/systemctl');
    await install('present');
    await shop.ready();
  });

  test('any number of files in its cache blocks no upgrade; those of 0.1.0 are removed', async () => {
    await install('first');
    await container.outputOf(`${asService} perl /traps/crowd /var/cache/poid v; mkdir /var/cache/poid/v22`);
    await container.outputOf(`chown poid: /var/cache/poid/v22; ${asService} ln -s /etc /var/cache/poid/v22/inside`);
    await install('present');
    assert.equal(await container.outputOf("find /var/cache/poid -name 'v*' | wc -l"), '0');
    assert.ok(await isThere('/etc/passwd'));
    // No version after it keeps such files.
    await container.outputOf(`${asService} perl /traps/crowd /var/cache/poid v`);
    await install('later');
    assert.equal(await container.outputOf("find /var/cache/poid -name 'v*' | wc -l"), '12000');
    await container.outputOf("find /var/cache/poid -name 'v*' -delete");
    await install('present');
    await shop.ready();
  });

  describe('the reading of the serial number of 0.1.0', () => {
    const file = '/var/lib/poid/serial-number';
    const adopt = '/usr/lib/poid/bin/adopt-serial-number';
    before(async () => {
      await container.outputOf(`mv /etc/poid/serial-number /root; ${asService} mkfifo ${file}`);
    });
    after(async () => {
      await container.outputOf(`rm ${file}; mv /root/serial-number /etc/poid`);
    });

    test('the service can’t write the memory of the process that reads', async () => {
      const [{ said }] = await Promise.all([
        container.run(`${asService} perl /traps/meddle ${file}`),
        container.outputOf(adopt),
      ]);
      assert.equal(said, 'no\n');
      // It could with a process that is wholly its user's.
      const [other] = await Promise.all([
        container.run(`${asService} perl /traps/meddle ${file}`),
        container.run(`timeout 5 ${asService} head -c 64 ${file}`),
      ]);
      assert.equal(other.said, 'writable\n');
    });

    test('if it stops that process, root does not wait for ever', async () => {
      const [{ said }, adopted] = await Promise.all([
        container.run(`${asService} perl /traps/meddle ${file} stops`),
        container.run(`timeout -k 1 30 ${adopt}`),
      ]);
      assert.deepEqual([said, adopted.code], ['stopped\n', 0]);
      assert.match(adopted.said, /has no serial number/);
      assert.ok(!(await isThere('/etc/poid/serial-number')));
    });

    test('nothing that the package installs runs a process that is wholly the service’s user’s', async () => {
      const { code, said } = await container.run(
        "grep -nE 'setpriv .*--(reuid|ruid)|runuser|su -' /usr/lib/poid/bin/adopt-serial-number /usr/lib/poid/bin/end-service /var/lib/dpkg/info/poid.*inst /var/lib/dpkg/info/poid.*rm",
      );
      assert.equal(code, 1, said);
    });
  });

  test('any number of files beside the journal: a purge still refuses money that is not settled', async () => {
    assert.equal((await shop.sell('not settled')).responseResult, 'SUCCESS');
    await container.outputOf(`${asService} perl /traps/crowd /var/lib/poid journal.`);
    const { code, said } = await container.run('dpkg --force-depends --purge poid');
    assert.notEqual(code, 0);
    assert.match(said, /\/var\/lib\/poid is not purged[^]*EDC[^]*POID_PURGE_UNSETTLED=yes/);
    assert.ok(await isThere('/var/lib/poid/journal.db'));
  });

  test('it refuses too if the journal is lost after the removal', async () => {
    await container.outputOf('mkdir /root/aside; mv /var/lib/poid/journal.db* /var/lib/poid/journal.state /root/aside');
    const { code, said } = await container.run('dpkg --force-depends --purge poid');
    assert.notEqual(code, 0);
    assert.match(said, /\/var\/lib\/poid is not purged[^]*EDC/);
    await container.outputOf("mv /root/aside/* /var/lib/poid; find /var/lib/poid -name 'journal.*xxx' -delete");
    await install('present');
    await shop.ready();
    await until('the sale is there', restartMs, async () =>
      (await shop.enquire('not settled')).responseResult === 'SUCCESS' ? true : undefined,
    );
  });

  test('settled, removed and purged: files beside the journal keep nothing from going', async () => {
    assert.equal((await shop.settle('settled')).responseResult, 'SUCCESS');
    await container.outputOf(`${asService} perl /traps/crowd /var/lib/poid journal.`);
    await container.outputOf('dpkg --force-depends --remove poid');
    await container.outputOf('dpkg --force-depends --purge poid');
    for (const each of ['/var/lib/poid', '/etc/poid', '/var/cache/poid']) assert.ok(!(await isThere(each)), each);
  });
});
