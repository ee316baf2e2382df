import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { commandSchema, plantedAndTaken } from '../support/command-schema.ts';
import { CardSecrets, readCards } from './card-secrets.ts';
import { ShellTill, type Ended } from './shell-till.ts';
import { type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());

const flags = () => ['--config', stage.configuration, '--state-dir', stage.stateDir];
const begin = (...words: string[]) => new ShellTill(stage.apiUrl, ['trace', ...words, ...flags()]);
const run = (...words: string[]): Promise<Ended> => begin(...words).ended;
const kept = async (file: string): Promise<Json[]> =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('records sales with chip, PIN and stripe, and nothing secret of their cards', async () => {
  const out = path.join(stage.dir, 'trace.jsonl');
  const trace = begin('--for', '5m', '--out', out);
  await trace.says(/until Ctrl-C/);
  const cards = await readCards();
  const secrets = new CardSecrets(cards);
  for (const [entry, card] of [
    ['tap', 'visa'],
    ['insert', 'mastercard'],
  ] as const) {
    const { answer } = stage.begun({ preferredEntryMode: 'CARD' });
    await stage[entry](card);
    assert.equal((await answer).body.responseResult, 'SUCCESS');
  }
  const debit = cards.find(({ name }) => name === 'visa-debit');
  assert.ok(debit && 'testPin' in debit && debit.testPin);
  const { answer } = stage.begun({ preferredEntryMode: 'CARD' });
  await stage.insert('visa-debit');
  await stage.enterPin(debit.testPin);
  assert.equal((await answer).body.responseResult, 'SUCCESS');
  secrets.hidePin(debit.testPin, debit.pan, (await stage.bench()).reader.pinKsn);
  const silent = stage.begun({ preferredEntryMode: 'CARD' });
  await stage.host('EDC', { mode: 'silent' });
  await stage.tap('visa');
  assert.equal((await silent.answer).body.financialImpact, 'REVERSED');
  await stage.host('EDC', { mode: 'up' });
  trace.interrupt();
  const { code, err } = await trace.ended;
  assert.equal(code, 0, err);
  assert.match(err, /as asked/);

  assert.equal((await stat(out)).mode & 0o777, 0o600);
  const messages = await kept(out);
  const types = messages.map(({ direction, mti }) => `${direction} ${mti}`);
  assert.deepEqual(types.slice(0, 4), ['sent 0200', 'received 0210', 'sent 0200', 'received 0210']);
  assert.ok(types.includes('sent 0400') && types.includes('received 0410'), types.join());
  const [sale, approval] = messages;
  const value = (message: Json, field: number) => message.parts.find((each: Json) => each.field === field)?.value;
  assert.equal(value(sale, 4), '000000003000');
  assert.equal(value(approval, 39), '00');
  const chip = messages[2].parts.find((each: Json) => each.field === 55);
  assert.ok(chip.objects.some((each: Json) => each.name === 'Application Cryptogram' && each.value?.length === 16));
  const [, , , , withPin] = messages;
  assert.deepEqual(Object.keys(withPin.parts.find((each: Json) => each.field === 52)).sort(), [
    'bytes',
    'field',
    'name',
  ]);
  secrets.assertAbsentIn(await readFile(out));
  secrets.assertAbsentIn(stage.log);
  // The search finds values that are present.
  for (const form of [debit.pan, Buffer.from(debit.pan).toString('hex'), `xy${btoa(`"${debit.pan}"`)}`]) {
    assert.throws(() => secrets.assertAbsentIn(`"${form}"`), /was found/);
  }
});

test('begin and end are in both records, with who asked', async () => {
  const traces = await kept(path.join(stage.stateDir, 'traces.jsonl'));
  const [begun, ended] = traces;
  assert.deepEqual([begun.state, begun.seconds, begun.uid], ['begun', 300, process.getuid?.()]);
  assert.equal(begun.user.length > 0, true);
  assert.deepEqual([ended.state, ended.reason, ended.user], ['ended', 'command', begun.user]);
  assert.ok(ended.messages >= 8);
  const admin = (await kept(path.join(`${stage.stateDir}-admin`, 'audit.jsonl'))).filter(
    ({ action }) => action === 'trace',
  );
  assert.deepEqual(
    admin.map(({ seconds, ended: why }) => [seconds, why]),
    [
      [300, undefined],
      [300, 'command'],
    ],
  );
});

test('one at a time, of a known acquirer, for an hour at most, into a new file', async () => {
  const first = begin('--acquirer', 'EDC', '--json');
  await first.says(/poid: EDC: until/);
  const second = await run();
  assert.deepEqual([second.code, second.out], [1, '']);
  assert.match(second.err, /another trace is under way/);
  await stage.paid('unionpay', { preferredEntryMode: 'CARD' });
  await stage.paid('visa', { preferredEntryMode: 'CARD' });
  first.interrupt('SIGTERM');
  const { out, code } = await first.ended;
  assert.equal(code, 0);
  assert.deepEqual(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).acquirer),
    ['EDC', 'EDC'],
  );
  const schema = commandSchema('trace');
  const takes = (document: unknown) => schema.safeParse(document).success;
  for (const each of out.trim().split('\n')) assert.deepEqual(plantedAndTaken(JSON.parse(each), takes), []);
  assert.match((await run('--acquirer', 'QR')).err, /no acquirer QR has a card host here: there are CUP, EDC, EPS/);
  assert.deepEqual((await run('--for', '61m')).code, 2);
  assert.deepEqual((await run('--for', '0s')).code, 2);
  const there = await run('--out', stage.configuration);
  assert.deepEqual([there.code, /is there already/.test(there.err)], [1, true]);
});

test('ends by its time, and with the terminal', async () => {
  const timed = await run('--for', '1s');
  assert.deepEqual([timed.code, timed.out], [0, '']);
  assert.match(timed.err, /0 messages: its time is over/);
  const cut = begin();
  await cut.says(/until/);
  await stage.stopDaemon('SIGTERM');
  const { code, err } = await cut.ended;
  assert.equal(code, 1);
  assert.match(err, /the terminal stops/);
  const none = await run();
  assert.match(none.err, /no terminal that can be traced runs/);
  assert.equal((await kept(path.join(stage.stateDir, 'traces.jsonl'))).at(-1).reason, 'stop');
  await stage.startDaemon();
  const killed = begin();
  await killed.says(/until/);
  await stage.stopDaemon('SIGKILL');
  assert.match((await killed.ended).err, /connection to the terminal was lost/);
  await stage.startDaemon();
  const again = begin('--for', '1s');
  assert.equal((await again.ended).code, 0);
});

test('a command that is killed ends the trace', async () => {
  const killed = begin();
  await killed.says(/until/);
  killed.interrupt('SIGKILL');
  await killed.ended;
  // It is refused until the terminal has noticed the end of the earlier trace.
  const next = begin('--for', '1s');
  assert.equal((await next.ended).code, 0);
});
