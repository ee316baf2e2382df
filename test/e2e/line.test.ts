import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { tlsFaults } from '../../hw-sim/tls/host-tls.ts';
import { certificateFor } from '../hosts/qfpay/certificate.ts';
import { type FalseHost, openFalseHost } from './false-host.ts';
import { type Json, Stage } from './stage.ts';

const acquirerIn = ({ acquirers }: Json, id = 'EDC'): Json => acquirers.find((each: Json) => each.id === id);

/** Changes an acquirer in the terminal's configuration, and restarts the terminal. */
async function reconfigure(stage: Stage, change: (edc: Json) => Json): Promise<void> {
  await stage.stopDaemon('SIGTERM');
  const configuration: Json = JSON.parse(await readFile(stage.configuration, 'utf8'));
  const acquirers = configuration.acquirers.map((each: Json) => (each.id === 'EDC' ? change(each) : each));
  await writeFile(stage.configuration, JSON.stringify({ ...configuration, acquirers }));
  await stage.startDaemon();
}

describe('the line to a host of cards', () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open({ hosts: ['EDC'] });
  });
  after(() => stage.close());
  afterEach(async () => {
    assert.deepEqual(await stage.unexpected(), []);
    await stage.sim('POST', '/api/reset', {});
  });

  test('a sale with TLS; the status has both certificates, and nothing warns', async () => {
    assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
    const { security, lineFault, certificate, clientCertificate } = acquirerIn(await stage.status());
    assert.deepEqual([security, lineFault], ['tls', undefined]);
    for (const each of [certificate, clientCertificate]) assert.ok(Date.parse(each.notAfter) > Date.now());
    const menu = await stage.menu();
    assert.deepEqual([menu.plainLines, menu.undecidedLines], [undefined, undefined]);
    assert.equal((await stage.bench()).hosts.EDC.tls, true);
  });

  const reasons = {
    expired: 'certificateExpired',
    wrongName: 'certificateOfOtherName',
    otherCa: 'certificateNotTrusted',
    noClientCertificate: 'clientCertificateRefused',
    oldVersion: 'noCommonVersion',
    cutHandshake: 'handshakeCut',
  } as const;
  for (const tlsFault of tlsFaults) {
    test(`${tlsFault}: no sale, no reversal, and the reason is told until the host is trusted again`, async () => {
      await stage.host('EDC', { tlsFault });
      const { body } = await stage.paid('visa');
      assert.deepEqual([body.responseResult, body.financialImpact], ['ERROR', 'NONE']);
      assert.deepEqual(await stage.ledger(), []);
      const { lineFault, link, pendingReversals } = acquirerIn(await stage.status());
      assert.deepEqual([lineFault.reason, link, pendingReversals], [reasons[tlsFault], 'down', 0]);
      assert.ok(Math.abs(Date.now() - Date.parse(lineFault.since)) < 60_000);
      assert.match(stage.log, new RegExp(`"acquirerId":"EDC".*"reason":"${reasons[tlsFault]}"`));
      await stage.host('EDC', {});
      assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
      assert.equal(acquirerIn(await stage.status()).lineFault, undefined);
    });
  }

  test('a renewed authority is used without a restart', async () => {
    assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
    const ca = path.join(stage.dir, 'sim/hosts-ca.pem');
    await stage.host('EDC', { tlsFault: 'otherCa' });
    assert.equal((await stage.paid('visa')).body.responseResult, 'ERROR');
    const former = await readFile(ca);
    await copyFile(path.join(stage.dir, 'sim/hosts-other-ca.pem'), ca);
    assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
    await writeFile(ca, former);
  });

  test('a pinned certificate, and another one', async () => {
    const { fingerprint } = await certificateOf(stage);
    const withPin = (pin: string) => (edc: Json) => {
      const { ca: _, ...tls } = edc.security.tls;
      return { ...edc, security: { tls: { ...tls, pins: [pin] } } };
    };
    const configured = await readFile(stage.configuration, 'utf8');
    await reconfigure(stage, withPin(fingerprint));
    assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
    await writeFile(stage.configuration, configured);
    await reconfigure(stage, withPin('0'.repeat(64)));
    const { body } = await stage.paid('visa');
    assert.deepEqual([body.responseResult, body.financialImpact], ['ERROR', 'NONE']);
    assert.equal(acquirerIn(await stage.status()).lineFault.reason, 'certificateNotPinned');
    await stage.stopDaemon('SIGTERM');
    await writeFile(stage.configuration, configured);
    await stage.startDaemon();
  });
});

async function certificateOf(stage: Stage): Promise<Json> {
  await stage.paid('visa');
  return acquirerIn(await stage.status()).certificate;
}

describe('somebody on the way, who approves every sale himself', () => {
  let stage: Stage;
  let attacker: FalseHost | undefined;
  before(async () => {
    stage = await Stage.open({ hosts: ['EDC'] });
  });
  after(() => stage.close());
  afterEach(async () => {
    await attacker?.close();
    attacker = undefined;
  });

  for (const [what, identity] of [
    ['in plain bytes', undefined],
    ['with TLS and a certificate of his own', certificateFor('127.0.0.1')],
  ] as const) {
    test(`${what}: he gets no sale, and the POS gets no SUCCESS`, async () => {
      attacker = await openFalseHost(identity);
      const { port } = attacker;
      await reconfigure(stage, (edc) => ({ ...edc, port }));
      const { body } = await stage.paid('visa');
      assert.deepEqual([body.responseResult, body.financialImpact], ['ERROR', 'NONE']);
      assert.deepEqual(attacker.read, []);
      assert.ok(attacker.connections > 0);
      assert.deepEqual(await stage.ledger(), []);
    });
  }

  test('without TLS he gets it: what a terminal warns of whose configuration says "none"', async () => {
    attacker = await openFalseHost();
    const { port } = attacker;
    await reconfigure(stage, (edc) => ({ ...edc, port, security: 'none' }));
    assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
    assert.deepEqual(attacker.read, ['0200']);
    assert.deepEqual(await stage.ledger(), []);
    assert.equal(acquirerIn(await stage.status()).security, 'none');
    const menu = await stage.menu();
    assert.deepEqual([menu.plainLines, menu.undecidedLines], [['EDC'], undefined]);
    assert.match(stage.log, /"acquirerId":"EDC".*"reason":"not protected, by the configuration"/);
  });
});

test('a configuration of before takes cards, and warns until it is decided', async () => {
  const stage = await Stage.open({ hosts: ['EDC'], flags: ['--plain-hosts'] });
  try {
    // On Linux this address is the machine itself (ip(7)), but not a loopback address.
    await reconfigure(stage, (edc) => ({ ...edc, security: undefined, host: '0.0.0.0' }));
    assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
    assert.equal((await stage.posted()).length, 1);
    assert.equal(acquirerIn(await stage.status()).security, 'undecided');
    const menu = await stage.menu();
    assert.deepEqual([menu.plainLines, menu.undecidedLines], [undefined, ['EDC']]);
    await stage.settle({ acquirer: 'EDC' });
    await reconfigure(stage, (edc) => ({ ...edc, security: undefined, host: '127.0.0.1' }));
    assert.equal(acquirerIn(await stage.status()).security, 'loopback');
    assert.equal((await stage.menu()).undecidedLines, undefined);
  } finally {
    await stage.close();
  }
});
