import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { commandSchema, plantedAndTaken } from '../support/command-schema.ts';
import { CardSecrets, readCards } from './card-secrets.ts';
import { type Ended, ShellTill } from './shell-till.ts';
import { type Json, Stage } from './stage.ts';

/** The example of docs/acquirer.md. */
const example = new URL('../../fixtures/certification/simulated-host.json', import.meta.url);

let stage: Stage;
let script: Json;
before(async () => {
  stage = await Stage.open({ hosts: ['EDC', 'CUP'] });
  script = JSON.parse(await readFile(example, 'utf8'));
});
after(() => stage.close());

function certify(file: string, out: string, ...more: string[]): ShellTill {
  const places = ['--config', stage.configuration, '--state-dir', stage.stateDir];
  const words = ['certify', file, '--out', path.join(stage.dir, out), '--yes', '--sim', stage.simUrl];
  return new ShellTill(stage.apiUrl, [...words, ...places, ...more]);
}

async function written(name: string, content: Json): Promise<string> {
  const file = path.join(stage.dir, name);
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  return file;
}

const evidenceIn = async (out: string): Promise<Json> =>
  JSON.parse(await readFile(path.join(stage.dir, out, 'evidence.json'), 'utf8'));

const reasonsIn = ({ results }: Json) => Object.fromEntries(results.map(({ id, reasons }: Json) => [id, reasons]));

test('the example of the document passes, and its evidence has nothing secret of a card', async () => {
  const secrets = new CardSecrets(await readCards());
  const { code, out, err }: Ended = await certify(await written('example.json', script), 'passed').ended;
  assert.equal(code, 0, out + err);
  const evidence = await evidenceIn('passed');
  assert.equal(evidence.verdict, 'PASS', JSON.stringify(reasonsIn(evidence)));
  assert.equal(evidence.results.length, script.cases.length);
  assert.ok(script.cases.length >= 8);
  const [sale] = evidence.results;
  const [request, answer] = sale.messages;
  assert.deepEqual([request.mti, answer.mti, sale.responseCode], ['0200', '0210', '00']);
  const chip = request.parts.find((each: Json) => each.field === 55);
  assert.ok(chip.objects.some(({ tag, name }: Json) => tag === '9F26' && name === 'Application Cryptogram'));
  assert.match(sale.receipt.customer, /APPROVED/);
  assert.match(sale.receipt.merchant, /MERCHANT COPY/);

  const page = await readFile(path.join(stage.dir, 'passed/evidence.html'), 'utf8');
  for (const word of ['PASS', 'Application Cryptogram', 'CUSTOMER COPY', '000000003000', 'not shown, 8 bytes'])
    assert.ok(page.includes(word), `the page has no ${word}`);
  assert.doesNotMatch(page, /<script|javascript:|<img|https?:\/\//i);

  const { pan, testPin } = (await readCards()).find(({ name }) => name === 'visa-debit') as Json;
  secrets.hidePin(testPin, pan, (await stage.bench()).reader.pinKsn);
  for (const text of [JSON.stringify(evidence), page, stage.log, out + err]) secrets.assertAbsentIn(text);
  for (const name of ['evidence.json', 'evidence.html'])
    assert.equal((await stat(path.join(stage.dir, 'passed', name))).mode & 0o777, 0o600);
});

test('an authorization and its completion at another acquirer', async () => {
  const auth = { ...script.cases.find(({ kind }: Json) => kind === 'auth'), simulator: { card: 'unionpay' } };
  const completed = { id: '4.2', title: 'Completion', kind: 'completion', of: auth.id, amount: '45.00' };
  const messages = [
    { direction: 'sent', type: '0220', fields: { 4: '000000004500' } },
    { direction: 'received', type: '0230' },
  ];
  const cases = [auth, { ...completed, expect: { responseResult: 'SUCCESS', responseCode: '00', messages } }];
  const { code, out, err } = await certify(await written('cup.json', { ...script, acquirer: 'CUP', cases }), 'cup')
    .ended;
  assert.equal(code, 0, out + err);
});

test('a case that does not show what it must fails with its reasons, and the others pass', async () => {
  const wrong = structuredClone(script);
  const [first, second] = wrong.cases;
  wrong.cases = [first, second];
  second.expect.responseCode = '05';
  second.expect.messages[0].fields = { 4: '000000009900', 22: '051', 48: '00', 52: 'present', 55: 'absent' };
  second.expect.messages[0].tags = { '5A': 'present', '9F26': 'absent' };
  second.expect.messages.push({ direction: 'sent', type: '0400' });
  second.expect.receipt.push('NO SUCH LINE');
  second.entryMode = 'CHIP';
  second.waitS = 0;
  const { code, out } = await certify(await written('wrong.json', wrong), 'failed', '--json').ended;
  assert.equal(code, 1);
  const evidence = JSON.parse(out);
  const schema = commandSchema('certify');
  assert.deepEqual(
    plantedAndTaken(evidence, (document) => schema.safeParse(document).success),
    [],
  );
  assert.deepEqual(evidence, await evidenceIn('failed'));
  assert.equal(evidence.verdict, 'FAIL');
  assert.deepEqual(
    evidence.results.map(({ verdict }: Json) => verdict),
    ['PASS', 'FAIL'],
  );
  assert.deepEqual(reasonsIn(evidence)['1.2'], [
    'response code is 00 instead of 05',
    '0200: field 4 is 000000004100 instead of 000000009900',
    '0200: field 48 is not shown: only "present" and "absent" can be expected of it',
    '0200: field 52 is missing',
    '0200: field 55 is present',
    '0200: EMV 5A is missing',
    '0200: EMV 9F26 is present',
    'no message 0400 was sent',
    "the receipt does not have 'NO SUCH LINE'",
  ]);
  assert.match(await readFile(path.join(stage.dir, 'failed/evidence.html'), 'utf8'), /FAIL<\/span>/);
});

test('two runs never use a messageId twice; a run is continued where it was stopped', async () => {
  const two = { ...script, cases: [script.cases[0], { ...script.cases[4], of: '1.1' }] };
  const file = await written('two.json', two);
  assert.equal((await certify(file, 'twice').ended).code, 0);
  const first = await evidenceIn('twice');
  const again = await certify(file, 'twice').ended;
  assert.equal(again.code, 1);
  assert.match(again.err, /has the evidence of an earlier run/);
  assert.deepEqual(await evidenceIn('twice'), first);
  // The void runs again. Its sale is that of the earlier run, and is already voided.
  const continued = await certify(file, 'twice', '--from', '2.1').ended;
  assert.equal(continued.code, 1, continued.out);
  const second = await evidenceIn('twice');
  assert.deepEqual(second.results[0], first.results[0]);
  assert.notEqual(second.results[1].messageId, first.results[1].messageId);
  assert.equal(second.results[1].answer.terminalTransactionId, undefined);
  const other = await certify(await written('other.json', { ...two, name: 'Other' }), 'twice', '--from', '2.1').ended;
  assert.match(other.err, /no evidence of this script/);
  assert.match((await certify(file, 'empty', '--from', '2.1').ended).err, /no evidence of this script/);
  assert.equal((await certify(file, 'twice', '--from', '9').ended).code, 2);
});

test('stopped while it waits for a card: the case is cancelled, and what was shown is kept', async () => {
  const patient = structuredClone({ ...script, cases: script.cases.slice(0, 2) });
  // No simulated customer presents a card.
  const file = await written('patient.json', patient);
  const places = ['--config', stage.configuration, '--state-dir', stage.stateDir];
  const run = new ShellTill(stage.apiUrl, ['certify', file, '--out', path.join(stage.dir, 'cut'), '--yes', ...places]);
  await run.says(/present a card/);
  run.interrupt();
  const { code, err } = await run.ended;
  assert.equal(code, 1);
  assert.match(err, /stopped; --from 1\.2 continues/);
  const { results, verdict } = await evidenceIn('cut');
  assert.equal(verdict, 'FAIL');
  assert.equal(results[0].answer.responseResult, 'TRANSACTION_ALREADY_CANCEL');
  // The trace has ended, so another run can begin.
  assert.equal((await certify(file, 'after').ended).code, 0);
});

test('a script that can’t be used is refused with its places, and nothing is paid', async () => {
  const before = (await stage.ledger()).length;
  const broken = structuredClone(script);
  delete broken.cases[0].amount;
  broken.cases[4].of = '9.9';
  broken.cases[1].expects = {};
  broken.cases[2].kind = 'sail';
  const { code, err } = await certify(await written('broken.json', broken), 'broken').ended;
  assert.equal(code, 1);
  for (const place of [/broken\.json:\d+:\d+: cases\.1\.expects/, /broken\.json:\d+:\d+: cases\.2\.kind/])
    assert.match(err, place);
  const unclear = structuredClone(script);
  unclear.cases[4].of = '9.9';
  delete unclear.cases[0].amount;
  const second = (await certify(await written('unclear.json', unclear), 'broken').ended).err;
  assert.match(second, /cases\.0\.amount: is needed for sale/);
  const third = structuredClone(script);
  third.cases[4].of = '9.9';
  assert.match(
    (await certify(await written('third.json', third), 'broken').ended).err,
    /cases\.4\.of: names no earlier/,
  );
  third.cases[4].of = '1.1';
  third.cases[0].amount = '30.001';
  const fourth = await certify(await written('fourth.json', third), 'broken').ended;
  assert.deepEqual([fourth.code, /30\.001/.test(fourth.err)], [2, true]);
  assert.match((await certify(await written('text.json', '{"name": '), 'broken').ended).err, /text\.json:1:\d+/);
  assert.equal((await stage.ledger()).length, before);
});
