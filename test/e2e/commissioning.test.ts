import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open({ hosts: ['EDC', 'CUP', 'QR'] });
});
after(() => stage.close());

const faultOf = (id: string, { acquirers }: Json) => acquirers.find((each: Json) => each.id === id).commissioningFault;

/** Lines of the log for an acquirer, with their level. */
const warnings = (id: string) =>
  stage.log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ msg, acquirerId }: Json) => msg === 'terminal unknown to its host' && acquirerId === id);

function assertAnswer(body: Json, hostCode: string, reason = 'terminalUnknown'): void {
  const { responseResult, financialImpact, retryable, text } = body;
  assert.deepEqual(
    { responseResult, financialImpact, retryable, reason: body.reason, hostCode: body.hostCode },
    { responseResult: 'DECLINED', financialImpact: 'NONE', retryable: 'CALL_OPERATOR', reason, hostCode },
  );
  assert.doesNotMatch(text.en, /card|another way/i);
  assert.match(text.en, /terminal/);
}

test('a terminal that its bank does not know: the card is not blamed, and everybody is warned until it is known', async () => {
  await stage.host('EDC', { terminals: ['99999999'] });
  const scene = stage.view((view) => view.scene === 'declined');
  const { body } = await stage.paid('visa');
  assertAnswer(body, '89');
  assert.equal(body.responseCode, 1089);
  const { reported } = await scene;
  assert.deepEqual([reported.happened, reported.next], ['terminalUnknown', 'askForHelp']);
  const { hostCode, since } = faultOf('EDC', await stage.status());
  assert.equal(hostCode, '89');
  assert.ok(Math.abs(Date.now() - Date.parse(since)) < 60_000);
  assert.equal(faultOf('CUP', await stage.status()), undefined);
  assert.equal(warnings('EDC').at(-1)?.level, 40);
  assert.deepEqual((await stage.menu()).unknownTo, ['EDC']);

  // A restart does not hide it.
  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  await eventually(
    async () => faultOf('EDC', await stage.status()),
    (fault) => fault?.hostCode === '89',
  );

  // Another wrong number; then a settlement, which is answered so too.
  await stage.host('EDC', { merchants: ['999999999999999'] });
  assertAnswer((await stage.paid('visa')).body, '03');
  assert.equal(faultOf('EDC', await stage.status()).hostCode, '03');

  await stage.host('EDC', {});
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal(faultOf('EDC', await stage.status()), undefined);
  assert.equal((await stage.menu()).unknownTo, undefined);
});

test('a settlement and a reversal that are answered so warn as well', async () => {
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  const count = warnings('EDC').length;
  await stage.host('EDC', { terminals: [] });
  await stage.settle({ acquirer: 'EDC' });
  assert.equal(faultOf('EDC', await stage.status()).hostCode, '89');
  assert.ok(warnings('EDC').length > count);
  await stage.host('EDC', {});
  await stage.settle({ acquirer: 'EDC' });
  assert.equal(faultOf('EDC', await stage.status()), undefined);

  await stage.host('EDC', { mode: 'silent', refuseReversals: '03' });
  assert.equal((await stage.paid('visa')).body.reason, 'noAnswer');
  await eventually(
    async () => faultOf('EDC', await stage.status()),
    (fault) => fault?.hostCode === '03',
  );
  await stage.host('EDC', {});
  await eventually(
    async () => faultOf('EDC', await stage.status()),
    (fault) => fault === undefined,
  );
});

test('58 is about the terminal, 57 about the cardholder', async () => {
  await stage.host('CUP', { decline: '58' });
  assertAnswer((await stage.paid('unionpay')).body, '58', 'notPermittedToTerminal');
  assert.equal(faultOf('CUP', await stage.status()).hostCode, '58');
  await stage.host('CUP', { decline: '57' });
  const { body } = await stage.paid('unionpay');
  assert.deepEqual([body.reason, body.retryable], ['notPermittedToCardholder', 'NEW_PAYMENT']);
  assert.equal(faultOf('CUP', await stage.status()).hostCode, '58', 'a decline of the cardholder does not end it');
  await stage.host('CUP', {});
});

test('a wallet’s wrong key', async () => {
  const other = await Stage.open({ hosts: ['QR'], acquirer: { clientKey: 'notTheKeyThatTheHostHas' } });
  try {
    const { request, answer } = other.begun({ preferredEntryMode: 'QR_SCAN' });
    await other.scan(await other.walletCode('ALIPAY'));
    const { body } = await answer;
    assertAnswer(body, '1108');
    assert.equal(faultOf('QR', await other.status()).hostCode, '1108');
    assert.deepEqual((await other.menu()).unknownTo, ['QR']);
    assert.equal((await other.enquiry(request)).body.financialImpact, 'NONE');
  } finally {
    await other.close();
  }
});
