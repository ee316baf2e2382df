import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadyTerminal } from './machine/ready-terminal.ts';

/** The cgroup of the unit. */
const cgroup = '/sys/fs/cgroup/system.slice/poid.service';

test('SIGKILL while the host has a sale: it is reversed, and the terminal sells again', async (t) => {
  const terminal = await ReadyTerminal.open(t);
  const { guest, shop } = terminal;
  const before = (await terminal.ledger()).length;
  await terminal.simulate('host/EDC', { mode: 'silent' });
  const { answer } = await shop.begin('killed');
  await shop.tap();
  await terminal.until('the host has it', async () => ((await terminal.ledger()).length > before ? true : undefined));
  const pid = await terminal.pid();
  await guest.told(`kill -9 ${pid}`);
  assert.deepEqual(await answer, {});
  await terminal.simulate('host/EDC', { mode: 'up' });
  await shop.ready();
  assert.notEqual(await terminal.pid(), pid);
  await terminal.until('the host has reversed it', async () =>
    (await terminal.ledger()).at(-1)?.status === 'REVERSED' ? true : undefined,
  );
  const told = await terminal.until('the terminal knows', async () => {
    const enquired = await shop.enquire('killed');
    return enquired.financialImpact === 'REVERSED' ? enquired : undefined;
  });
  assert.equal(told.responseResult, 'ERROR');
  await terminal.assertSells('after');
  assert.equal((await terminal.ledger()).filter(({ status }) => status === 'POSTED').length, before + 1);
});

test('the limit of memory is in force, and a daemon over it comes back', async (t) => {
  const terminal = await ReadyTerminal.open(t);
  const { guest, shop } = terminal;
  assert.equal(await guest.told(`cat ${cgroup}/memory.max`), String(512 << 20));
  assert.equal(await guest.told(`cat ${cgroup}/pids.max`), '128');
  const pid = await terminal.pid();
  await guest.told('systemctl set-property --runtime poid MemoryMax=40M');
  await terminal.until('the kernel has ended it', async () => ((await terminal.pid()) === pid ? undefined : true));
  await guest.told('systemctl set-property --runtime poid MemoryMax=512M');
  assert.match(await guest.told('journalctl -u poid --no-pager'), /killed by the OOM killer/);
  await shop.ready();
  await terminal.assertSells('after');
});

test('the daemon opens the devices that its unit lists, and no other', async (t) => {
  const terminal = await ReadyTerminal.open(t);
  const { guest } = terminal;
  await guest.told('modprobe uhid');
  const opened = async (device: string) =>
    (await guest.run(`echo $$ > ${cgroup}/cgroup.procs && exec 3<> ${device}`)).said.trim();
  for (const device of ['/dev/null', '/dev/ttyS0']) assert.equal(await opened(device), '', device);
  for (const device of ['/dev/vda', '/dev/mem', '/dev/kmsg', '/dev/uhid', '/dev/hwrng'])
    assert.match(await opened(device), /Operation not permitted/, device);
  for (const device of ['/dev/uhid', '/dev/vda'])
    assert.equal((await guest.run(`exec 3<> ${device}`)).code, 0, `${device} without the unit`);
});

test('a start that takes too long is ended, and tried again', async (t) => {
  const terminal = await ReadyTerminal.open(t);
  const { guest, shop } = terminal;
  assert.equal(await guest.unit('TimeoutStartUSec'), '2min');
  await terminal.dropIn('TimeoutStartSec=1');
  await guest.told('systemctl restart --no-block poid');
  await terminal.until('a start has been ended', async () =>
    Number(await guest.unit('NRestarts')) > 0 ? true : undefined,
  );
  assert.match(await guest.told('journalctl -u poid --no-pager'), /start operation timed out/);
  await terminal.dropIn('');
  await shop.ready();
  await terminal.assertSells('after');
});

test('the disk of the journal is frozen: the status answers, a payment does not begin, and the process ends', async (t) => {
  const terminal = await ReadyTerminal.open(t);
  const { guest, shop } = terminal;
  await guest.told(`systemctl stop poid
    truncate -s 128M /root/state.ext4 && mkfs.ext4 -q /root/state.ext4 && mount -o loop /root/state.ext4 /mnt &&
    cp -a /var/lib/poid/. /mnt/ && chown --reference=/var/lib/poid /mnt && chmod 700 /mnt &&
    mount --move /mnt /var/lib/poid || mount --bind /mnt /var/lib/poid
    systemctl start poid`);
  await shop.ready();
  const pid = await terminal.pid();
  await guest.told('fsfreeze --freeze /var/lib/poid');
  const sale = guest.run(
    `curl -s -m 200 -o /run/answer -w '%{http_code}' http://127.0.0.1:8080/sp/v1/payment -H 'Content-Type: application/json' -d '{"posId":"POS-1","messageId":"frozen","transactionType":"SALE","requestAmount":30,"currency":"HKD"}'`,
  );
  assert.equal(
    (await terminal.statusUntil('the status tells of the disk', ({ journal }) => journal === 'silent')).ready,
    false,
  );
  assert.equal((await sale).said, '503');
  assert.match(await guest.told('cat /run/answer'), /"responseResult":"DATABASE_ERROR"|"message":/);
  await guest.told('fsfreeze --unfreeze /var/lib/poid');
  await terminal.until('another process', async () => (![pid, 0].includes(await terminal.pid()) ? true : undefined));
  await shop.ready();
  await terminal.assertSells('after');
});

test('the clock is set forward and back: sales go on, each under its own number, and are told as doubtful', async (t) => {
  const terminal = await ReadyTerminal.open(t);
  const { guest, shop } = terminal;
  await guest.told(`date -s '+3 days'`);
  await terminal.assertSells('forward');
  await guest.told(`date -s '-10 days'`);
  await terminal.assertSells('back');
  await guest.told(`date -s '2001-01-01'`);
  const long = await terminal.assertSells('long-ago');
  assert.equal((long as { clockDoubt?: string }).clockDoubt, 'beforeBuild');
  assert.equal((await terminal.status()).clock?.state, 'beforeBuild');
  await guest.told(`date -s '2030-01-01'`);
  await guest.told('systemctl restart poid');
  for (const messageId of ['forward', 'back', 'long-ago'])
    assert.equal((await shop.enquire(messageId)).responseResult, 'SUCCESS', messageId);
  const stans = (await terminal.ledger()).map(({ stan }) => stan);
  assert.equal(new Set(stans).size, stans.length);
});
