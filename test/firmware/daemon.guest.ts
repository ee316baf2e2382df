import assert from 'node:assert/strict';
import { testReady } from './machine/ready-terminal.ts';

/** The cgroup of the unit. */
const cgroup = '/sys/fs/cgroup/system.slice/poid.service';

testReady('SIGKILL while the host has a sale: it is reversed, and the terminal sells again', async (terminal) => {
  const { guest, shop } = terminal;
  const before = (await terminal.ledger()).length;
  await terminal.simulate('host/EDC', { mode: 'silent' });
  const { answer } = await shop.begin('killed');
  await shop.tap();
  await terminal.until('the host has it', async () => ((await terminal.ledger()).length > before ? true : undefined));
  const pid = await terminal.pid();
  await guest.outputOf(`kill -9 ${pid}`);
  assert.deepEqual(await answer, {});
  await terminal.simulate('host/EDC', { mode: 'up' });
  await shop.ready();
  assert.notEqual(await terminal.pid(), pid);
  await terminal.until('the host has reversed it', async () =>
    (await terminal.ledger()).at(-1)?.status === 'REVERSED' ? true : undefined,
  );
  const answered = await terminal.until('the terminal knows', async () => {
    const enquired = await shop.enquire('killed');
    return enquired.financialImpact === 'REVERSED' ? enquired : undefined;
  });
  assert.equal(answered.responseResult, 'ERROR');
  const ledger = (await terminal.ledger()).slice(before);
  assert.deepEqual(
    ledger.map(({ status }) => status),
    ['REVERSED'],
  );
});

testReady('the limit of memory is in force, and a daemon over it comes back', async (terminal) => {
  const { guest, shop } = terminal;
  assert.equal(await guest.outputOf(`cat ${cgroup}/memory.max`), String(512 << 20));
  assert.equal(await guest.outputOf(`cat ${cgroup}/pids.max`), '128');
  const pid = await terminal.pid();
  await guest.outputOf('systemctl set-property --runtime poid MemoryMax=40M');
  await terminal.until('the kernel has ended it', async () => ((await terminal.pid()) === pid ? undefined : true));
  await guest.outputOf('systemctl set-property --runtime poid MemoryMax=512M');
  assert.match(await guest.outputOf('journalctl -u poid --no-pager'), /killed by the OOM killer/);
  await shop.ready();
});

testReady('the daemon opens the devices that its unit lists, and no other', async (terminal) => {
  const { guest } = terminal;
  await guest.outputOf('modprobe uhid');
  const opened = async (device: string) =>
    (await guest.run(`echo $$ > ${cgroup}/cgroup.procs && exec 3<> ${device}`)).said.trim();
  for (const device of ['/dev/null', '/dev/ttyS0']) assert.equal(await opened(device), '', device);
  for (const device of ['/dev/vda', '/dev/mem', '/dev/kmsg', '/dev/uhid', '/dev/hwrng'])
    assert.match(await opened(device), /Operation not permitted/, device);
  for (const device of ['/dev/uhid', '/dev/vda'])
    assert.equal((await guest.run(`exec 3<> ${device}`)).code, 0, `${device} without the unit`);
});

testReady(
  'the thread of the card reader, and no other of the daemon, is before what else there is',
  async (terminal) => {
    const all = await terminal.guest.outputOf(`cat /proc/${await terminal.pid()}/task/*/stat`);
    // Behind the name, which may have spaces (proc(5), stat): the nineteenth field is the nice value.
    const values = all.split('\n').map((line) => Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[16]));
    assert.ok(values.length > 2, all);
    assert.deepEqual(new Set(values), new Set([0, -10]), all);
    assert.equal(values.filter((value) => value === -10).length, 1, all);
  },
);

testReady('a start that takes too long is ended, and tried again', async (terminal) => {
  const { guest, shop } = terminal;
  // The guest has more time: see base-disk.ts.
  assert.match(await guest.outputOf('cat /lib/systemd/system/poid.service'), /^TimeoutStartSec=120$/m);
  await terminal.dropIn('TimeoutStartSec=1');
  await guest.outputOf('systemctl restart --no-block poid');
  await terminal.until('a start has been ended', async () =>
    (await guest.run('journalctl -u poid --no-pager | grep -q "start operation timed out"')).code === 0
      ? true
      : undefined,
  );
  await terminal.dropIn('');
  await shop.ready();
});

testReady(
  'the disk of the journal is frozen: the status answers, a payment does not begin, and the process ends',
  async (terminal) => {
    const { guest, shop } = terminal;
    await guest.outputOf(`systemctl stop poid
    truncate -s 128M /root/state.ext4 && mkfs.ext4 -q /root/state.ext4 && mount -o loop /root/state.ext4 /mnt &&
    cp -a /var/lib/poid/. /mnt/ && chown --reference=/var/lib/poid /mnt && chmod 700 /mnt &&
    mount --move /mnt /var/lib/poid || mount --bind /mnt /var/lib/poid
    systemctl start poid`);
    await shop.ready();
    const pid = await terminal.pid();
    const timed = async () => {
      const began = performance.now();
      const status = await terminal.status();
      return { status, ms: performance.now() - began };
    };
    const thawed = Math.max((await timed()).ms, (await timed()).ms);
    await guest.outputOf('fsfreeze --freeze /var/lib/poid');
    const body = { posId: 'POS-1', messageId: 'frozen', transactionType: 'SALE', requestAmount: 30, currency: 'HKD' };
    const sale = guest.call(8080, '/sp/v1/payment', JSON.stringify(body));
    const { ready } = await terminal.statusUntil('the status tells of the disk', ({ journal }) => journal === 'silent');
    assert.equal(ready, false);
    // It gives the journal a second, and takes as long as ever for the rest; ten times that on a machine with other work.
    const { status, ms } = await timed();
    assert.equal(status.journal, 'silent');
    assert.ok(ms < 1_000 + 10 * thawed, `${ms} ms, and ${thawed} ms with a disk`);
    const { code, said } = await sale;
    assert.equal(code, 503, said);
    // Nobody can look whether an earlier payment had this identity.
    assert.match(said, /"responseResult":"UNKNOWN".*"reason":"outcomeUnknown"/);
    await guest.outputOf('fsfreeze --unfreeze /var/lib/poid');
    await terminal.until('another process', async () => (![pid, 0].includes(await terminal.pid()) ? true : undefined));
    await shop.ready();
    assert.equal((await shop.enquire('frozen')).financialImpact, 'NONE');
  },
);

testReady(
  'the clock is set forward and back: sales go on, each under its own number, and are told as doubtful',
  async (terminal) => {
    const { guest, shop } = terminal;
    const began = await guest.outputOf('date +%s');
    const sold = async (name: string) => {
      const answer = await terminal.assertSells(name);
      return answer as { readonly messageId: string; readonly clockDoubt?: string };
    };
    await guest.outputOf(`date -s '+3 days'`);
    const forward = await sold('forward');
    await guest.outputOf(`date -s '-10 days'`);
    const back = await sold('back');
    await guest.outputOf(`date -s '2001-01-01'`);
    const longAgo = await sold('long-ago');
    assert.equal(longAgo.clockDoubt, 'beforeBuild');
    assert.equal((await terminal.status()).clock?.state, 'beforeBuild');
    await guest.outputOf(`date -s '2030-01-01'; systemctl restart poid`);
    await shop.ready();
    for (const { messageId } of [forward, back, longAgo])
      assert.equal((await shop.enquire(messageId)).responseResult, 'SUCCESS', messageId);
    const stans = (await terminal.ledger()).map(({ stan }) => stan);
    assert.equal(new Set(stans).size, stans.length);
    await guest.outputOf(`date -s @${began}`);
  },
);
