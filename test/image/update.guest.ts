import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FlashedTerminal } from './machine/flashed.ts';
import { bundleOf, refused, versions } from './machine/images.ts';
import { Rollout } from './machine/rollout.ts';

const { first, later, broken } = versions;

// One terminal, from the line to its third update, and hawkBit.
let rollout: Rollout;
let terminal: FlashedTerminal;
before(async () => {
  rollout = await Rollout.open();
  terminal = new FlashedTerminal(rollout.network);
  await terminal.start({ hasDisplay: false });
});
after(async () => {
  await terminal.remove();
  await rollout.close();
});

/** 20 MB of the 170 of a slot. */
const someSectors = 40_000;

/** The sale that every version must still know. */
const sale = 'before the updates';

let isEnrolled = false;
/** Makes the terminal known to hawkBit, by the first of the chosen tests that has it deploy something. */
async function enrol(): Promise<void> {
  if (!isEnrolled) await rollout.enrol(terminal.guest);
  isEnrolled = true;
}

async function assertKnowsSale(): Promise<void> {
  assert.equal((await terminal.shop.enquire(sale)).responseResult, 'SUCCESS');
}

test('flashed: it is kept, nothing of it can be written, it takes a configuration, and sells', async (t) => {
  const { guest, shop } = terminal;
  await terminal.judged(first);
  assert.equal(await terminal.version(), `${first} in A`);
  assert.equal(await guest.outputOf('systemctl --failed --no-legend'), '');
  assert.match((await guest.run('touch /usr/x /etc/x /var/x')).said, /(?:Read-only file system[^]*){3}/);
  assert.match(await guest.outputOf('nft list chain inet terminal input'), /policy drop[^]*tcp dport 8080 accept/);
  await shop.provision(rollout.settings);
  const answer = await shop.sell(sale);
  assert.equal(answer.responseResult, 'SUCCESS', JSON.stringify(answer));
  t.diagnostic(
    `the terminal runs: ${await guest.outputOf('cut -d" " -f1 /proc/uptime')} s since its kernel has started`,
  );
});

test('refused: a foreign signer, also from hawkBit, another machine, and a bundle that was tampered with', async () => {
  const action = rollout.deploy(refused.foreign);
  await enrol();
  assert.match(await terminal.refusal(refused.foreign), /nobody who may sign has signed it/);
  assert.match(await terminal.refusal(refused.otherMachine), /the bundle is for poid-other, and this is poid-amd64/);
  assert.match(await terminal.refusal(refused.tampered), /it is not installed: 1\.0\.0 stays/);
  await rollout.over(action);
  assert.equal(action.said.join(', '), 'proceeding, download, closed failure');
  assert.match(action.feedback.at(-1)?.details[0] ?? '', /^refused: nobody who may sign has signed it/);
  assert.deepEqual([rollout.attributes['image'], rollout.attributes['slot']], [first, 'A']);
  assert.equal(await terminal.guest.outputOf('ls /var/lib/poid-update'), 'action.json');
  assert.equal(await terminal.version(), `${first} in A`);
  assert.match(await terminal.bootOrder(), /^ORDER=A B$/m);
});

test('the power goes during an installation: the version before starts, with its journal', async (t) => {
  const books = await terminal.books();
  const written = `awk '$3 == "vda3" { print $10 }' /proc/diskstats`;
  const before = Number(await terminal.guest.outputOf(written));
  // The guest looks by itself: the rest of the slot is written within a few seconds.
  const partly = terminal.guest.outputOf(`until [ $(${written}) -gt ${before + someSectors} ]; do sleep 0.1; done`);
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

test('hawkBit deploys the bundle that was cut off: its journal is migrated once it is kept, journal and batch are the same, and an older version is refused', async (t) => {
  const { guest, shop } = terminal;
  const { version: schema } = await terminal.schema();
  const books = await terminal.books();
  const bootId = await terminal.bootId();
  await terminal.setWindow(2, 3);
  const began = performance.now();
  const action = rollout.deploy(bundleOf(later), { breaksOff: true });
  await rollout.heard(action, 'download');
  // Meanwhile the end of what the power cut has ended: a person's command, as if the slot were written.
  const steps = /^poid-update: 1\.0\.0 to 2\.0\.0\n(?:the terminal is idle\n){2}poid-update: starting 2\.0\.0\nreboot$/;
  assert.match(await terminal.rehearse(bundleOf(later)), steps);
  await rollout.heard(action, 'scheduled');
  const downloaded = performance.now();
  const [from, ...resumed] = rollout.downloads(action);
  assert.equal(from, 0);
  assert.ok(resumed.length > 0 && resumed.every((place) => place > 0), `it went on at ${resumed.join(', ')}`);
  const { answer } = await shop.begin('while an update waits');
  await terminal.setWindow(-1, 2);
  await rollout.heard(action, 'scheduled', 2);
  await shop.tap();
  assert.equal((await answer).responseResult, 'SUCCESS');
  const left = performance.now();
  await terminal.judged(later, { bootId, starts: 1 });
  const seconds = (from: number, to: number) => ((to - from) / 1_000).toFixed(0);
  t.diagnostic(`downloaded in two parts within ${seconds(began, downloaded)} s`);
  t.diagnostic(`from the end of the sale to the version that is kept: ${seconds(left, performance.now())} s`);
  await terminal.migrated(schema + 1);
  await rollout.over(action);
  assert.deepEqual(
    action.feedback.filter(({ execution }) => execution === 'scheduled').map(({ details }) => details[0]),
    ['waits for the maintenance window', 'waits until nobody pays'],
  );
  const reported = 'proceeding, download, downloaded, scheduled, scheduled, proceeding, proceeding, closed success';
  assert.equal(action.said.join(', '), reported);
  assert.deepEqual(action.feedback.at(-1)?.details, [`${later} runs and is kept`]);
  assert.equal(await terminal.version(), `${later} in B`);
  await rollout.until('hawkBit knows what runs', () => rollout.attributes['image'] === later);
  assert.equal(rollout.attributes['slot'], 'B');
  assert.equal(await guest.outputOf('ls /var/lib/poid-update'), 'action.json');
  assert.deepEqual(await terminal.books(), books);
  await assertKnowsSale();
  const log = await guest.outputOf('journalctl -b -u poid -o cat --no-pager');
  assert.match(
    log,
    /its migration waits until this version is accepted[^]*this version is accepted[^]*migrates the journal/,
  );
  assert.equal((await shop.sell('after the migration')).responseResult, 'SUCCESS');
  const starts = `journalctl -u poid -o short-unix --no-pager | awk '/Stopping poid/ { stop = $1; start = 0 } /Started poid/ && !start { start = $1 } END { print start - stop }'`;
  t.diagnostic(`no sale could begin for ${await guest.outputOf(starts)} s`);
  assert.match(await terminal.refusal(bundleOf(first)), /1\.0\.0 is older than 2\.0\.0/);
});

/** Each is a start of the machine: unless asked to wait for them, GRUB is told that two of its three tries are taken. */
const triesTaken = process.env['POID_IMAGE_ALL'] === undefined ? 2 : 0;
test('broken: hawkBit deploys a version that is broken: it sells, it is left by itself, that is told, and the books are the same', async (t) => {
  const books = await terminal.books();
  const schema = await terminal.schema();
  const running = await terminal.version();
  const [version = '', slot = ''] = running.split(' in ');
  const other = slot === 'A' ? 'B' : 'A';
  const bootId = await terminal.bootId();
  await terminal.setWindow(-1, 2);
  await enrol();
  const action = rollout.deploy(bundleOf(broken));
  await rollout.heard(action, 'proceeding', 2);
  // The machine starts anew once hawkBit has heard that the installation is over.
  const hold = Promise.withResolvers<void>();
  rollout.hawkbit.faults.hold = hold.promise;
  await terminal.guest.outputOf(
    `until grep -q '"phase":"installed"' /var/lib/poid-update/action.json; do sleep 0.2; done`,
  );
  assert.match(await terminal.bootOrder(), new RegExp(`^ORDER=${other} ${slot}$[^]*^${other}_TRY=0$`, 'm'));
  await terminal.guest.outputOf(`grub-editenv /efi/grubenv set ${other}_TRY=${triesTaken}`);
  rollout.hawkbit.faults.hold = undefined;
  hold.resolve();
  const began = performance.now();
  await terminal.onTrial(broken);
  assert.deepEqual(await terminal.schema(), { ...schema, waits: 'onTrial' });
  assert.equal((await terminal.shop.sell('on trial')).responseResult, 'SUCCESS');
  await terminal.giveUp();
  await terminal.judged(version, { bootId, starts: 4 - triesTaken });
  const took = ((performance.now() - began) / 1_000).toFixed(0);
  t.diagnostic(`from the broken version's first start to the version before: ${took} s, with tries: ${3 - triesTaken}`);
  assert.equal(await terminal.version(), running);
  assert.match(await terminal.bootOrder(), new RegExp(`^${other}_TRY=3$`, 'm'));
  // A try may also be ended by the machine's watchdog, where other work takes the emulated processor: it has no verdict.
  const log = await terminal.guest.outputOf('journalctl -u poid-healthy -o cat --no-pager');
  t.diagnostic(`verdicts in the log: ${log.split(`${broken} in slot ${other} does not work`).length - 1}`);
  await rollout.over(action);
  const steps = 'proceeding, download, downloaded, proceeding, proceeding, closed failure';
  assert.equal(action.said.join(', '), steps);
  const reported = `${broken} did not work: the machine went back to ${version}`;
  assert.deepEqual(action.feedback.at(-1)?.details, [reported]);
  assert.deepEqual(await terminal.books(), books);
  assert.deepEqual(await terminal.schema(), schema);
  await assertKnowsSale();
  assert.equal((await terminal.shop.enquire('on trial')).responseResult, 'SUCCESS');
  assert.equal((await terminal.shop.sell('after the updates')).responseResult, 'SUCCESS');
  // The host's books are the journal's, with what each version has sold.
  assert.equal((await terminal.shop.settle('the day')).responseResult, 'SUCCESS');
});
