import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FlashedTerminal } from './machine/flashed.ts';
import { bundleOf, refused, versions } from './machine/images.ts';

const { first, later, broken } = versions;

// One terminal, from the line to its third update.
let terminal: FlashedTerminal;
before(async () => {
  terminal = new FlashedTerminal();
  await terminal.start({ hasDisplay: false });
});
after(() => terminal.remove());

/** 20 MB of the 170 of a slot. */
const someSectors = 40_000;

/** The sale that every version must still know. */
const sale = 'before the updates';

async function assertKnowsSale(): Promise<void> {
  assert.equal((await terminal.shop.enquire(sale)).responseResult, 'SUCCESS');
}

test('flashed: it is kept, nothing of it can be written, it takes a configuration, and sells', async (t) => {
  const { guest, shop } = terminal;
  await terminal.judged(first);
  assert.equal(await terminal.version(), `${first} in A`);
  assert.equal(await guest.told('systemctl --failed --no-legend'), '');
  assert.match((await guest.run('touch /usr/x /etc/x /var/x')).said, /(?:Read-only file system[^]*){3}/);
  assert.match(await guest.told('nft list chain inet terminal input'), /policy drop[^]*tcp dport 8080 accept/);
  await shop.provision();
  const answer = await shop.sell(sale);
  assert.equal(answer.responseResult, 'SUCCESS', JSON.stringify(answer));
  t.diagnostic(`the terminal runs: ${await guest.told('cut -d" " -f1 /proc/uptime')} s since its kernel has started`);
});

test('refused: a foreign signer, another machine, and a bundle that was tampered with', async () => {
  assert.match(await terminal.refusal(refused.foreign), /nobody who may sign has signed it/);
  assert.match(await terminal.refusal(refused.otherMachine), /the bundle is for poid-other, and this is poid-amd64/);
  assert.match(await terminal.refusal(refused.tampered), /it is not installed: 1\.0\.0 stays/);
  assert.equal(await terminal.version(), `${first} in A`);
  assert.match(await terminal.bootOrder(), /^ORDER=A B$/m);
});

test('the power goes during an installation: the version before starts, with its journal', async (t) => {
  const books = await terminal.books();
  const written = `awk '$3 == "vda3" { print $10 }' /proc/diskstats`;
  const before = Number(await terminal.guest.told(written));
  // The guest looks by itself: the rest of the slot is written within a few seconds.
  const partly = terminal.guest.told(`until [ $(${written}) -gt ${before + someSectors} ]; do sleep 0.1; done`);
  const lost = terminal.update(bundleOf(later));
  await partly;
  await terminal.cut();
  assert.equal((await lost).code, -1);
  const began = performance.now();
  await terminal.start({ hasDisplay: false });
  await terminal.ready();
  const took = ((performance.now() - began) / 1_000).toFixed(0);
  t.diagnostic(
    `from power to READY: ${took} s, the processor was busy for ${terminal.guest.cpuSeconds().toFixed(0)} s`,
  );
  await terminal.judged(first);
  assert.equal(await terminal.version(), `${first} in A`);
  assert.deepEqual(await terminal.books(), books);
  await assertKnowsSale();
});

test('updated by the bundle that was cut off: journal and batch are the same, and an older version is refused', async (t) => {
  const books = await terminal.books();
  const bootId = await terminal.bootId();
  const began = performance.now();
  const { code, said } = await terminal.update(bundleOf(later));
  assert.notEqual(code, 1, said);
  await terminal.judged(later, { bootId, starts: 1 });
  t.diagnostic(`from the command to the version that is kept: ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  assert.equal(await terminal.version(), `${later} in B`);
  assert.deepEqual(await terminal.books(), books);
  await assertKnowsSale();
  const starts = `journalctl -u poid -o short-unix --no-pager | awk '/Stopping poid/ { stop = $1 } /Started poid/ { start = $1 } END { print start - stop }'`;
  t.diagnostic(`no sale could begin for ${await terminal.guest.told(starts)} s`);
  assert.match(await terminal.refusal(bundleOf(first)), /1\.0\.0 is older than 2\.0\.0/);
});

/** Each is a start of the machine: unless asked to wait for them, GRUB is told that two of its three tries are taken. */
const triesTaken = process.env['POID_IMAGE_ALL'] === undefined ? 2 : 0;
test('a version whose daemon does not start is left by itself, and the books are the same', async (t) => {
  const books = await terminal.books();
  const running = await terminal.version();
  const [version = '', slot = ''] = running.split(' in ');
  const other = slot === 'A' ? 'B' : 'A';
  const bootId = await terminal.bootId();
  await terminal.install(bundleOf(broken));
  assert.match(await terminal.bootOrder(), new RegExp(`^ORDER=${other} ${slot}$[^]*^${other}_TRY=0$`, 'm'));
  const began = performance.now();
  await terminal.guest.told(`grub-editenv /efi/grubenv set ${other}_TRY=${triesTaken}; systemctl reboot --no-block`);
  await terminal.judged(version, { bootId, starts: 4 - triesTaken });
  const took = ((performance.now() - began) / 1_000).toFixed(0);
  t.diagnostic(`from the broken version's first start to the version before: ${took} s, with tries: ${3 - triesTaken}`);
  assert.equal(await terminal.version(), running);
  assert.match(await terminal.bootOrder(), new RegExp(`^${other}_TRY=3$`, 'm'));
  // A try may also be ended by the machine's watchdog, where other work takes the emulated processor: it has no verdict.
  const log = await terminal.guest.told('journalctl -u poid-healthy -o cat --no-pager');
  t.diagnostic(`verdicts in the log: ${log.split(`${broken} in slot ${other} does not work`).length - 1}`);
  assert.deepEqual(await terminal.books(), books);
  await assertKnowsSale();
  assert.equal((await terminal.shop.sell('after the updates')).responseResult, 'SUCCESS');
});
