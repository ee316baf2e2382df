import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { nexoSettings } from '../../src/config/nexo-settings.ts';
import { type Json, Stage } from '../e2e/stage.ts';
import { paymentOf } from '../pos/nexo/till.ts';
import { here, run } from './tools.ts';

/**
 * POS software is built on this library. It calls port 8443 and the path /nexo/, and accepts a certificate only if its
 * name is one of its vendor's: so the certificate is made here, and nowhere else.
 */
const library = createRequire(path.join(here, 'package.json'));
const { Client, EnvironmentEnum, TerminalLocalAPI } = library('@adyen/api-library');
const { default: TerminalLocalAPIUnencrypted } = library(
  '@adyen/api-library/lib/src/services/terminalLocalAPIUnencrypted.js',
);
const subject = '/CN=test-000001.test.terminal.adyen.com';

/** A test key. */
const securityKey = {
  AdyenCryptoVersion: 1,
  KeyIdentifier: 'test-key',
  KeyVersion: 1,
  Passphrase: 'a test passphrase',
};
const keys = [{ identifier: 'test-key', version: 1, passphrase: 'a test passphrase' }];

let stage: Stage;
let dir: string;
let port: number;
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-outside-nexo-'));
  const [key, cert] = [path.join(dir, 'key.pem'), path.join(dir, 'cert.pem')];
  const form = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const made = await run('openssl', ['req', '-x509', ...form, '-subj', subject, '-keyout', key, '-out', cert]);
  assert.equal(made.code, 0, made.stderr);
  const certificate = path.join(dir, 'nexo.pem');
  await writeFile(certificate, (await readFile(key, 'utf8')) + (await readFile(cert, 'utf8')), { mode: 0o600 });
  const nexo = { port: 0, host: '127.0.0.1', poiId: 'POID-1', keys, clear: true, certificate };
  stage = await Stage.open({ configuration: { nexo, timeouts: { collectMs: 60_000 } } });
  ({ port } = (await stage.status()).protocols.nexo);
});
after(async () => {
  await stage.close();
  await rm(dir, { recursive: true });
});

/** The library appends `:8443/nexo/` to the endpoint; behind a # it is no part of the address. */
function clientOf(certificatePath: string): Json {
  const client = new Client({ apiKey: 'none', environment: EnvironmentEnum.TEST });
  client.config.terminalApiLocalEndpoint = `https://127.0.0.1:${port}/nexo/#`;
  client.config.certificatePath = certificatePath;
  return client;
}

const clear = () => {
  const api = new TerminalLocalAPIUnencrypted(clientOf('unencrypted'));
  return (request: Json): Promise<Json> => api.request(request);
};
const encrypted = () => {
  const api = new TerminalLocalAPI(clientOf(path.join(dir, 'cert.pem')));
  return (request: Json): Promise<Json> => api.request(request, securityKey);
};

let services = 0;

function message(category: string, request: Json, serviceId = `${++services}`): Json {
  const isDevice = category === 'Print' || category === 'Display' || category === 'Input';
  const MessageHeader = {
    ProtocolVersion: '3.0',
    MessageClass: isDevice ? 'Device' : 'Service',
    MessageCategory: category,
    MessageType: 'Request',
    ServiceID: serviceId,
    SaleID: 'Till 3',
    POIID: 'POID-1',
  };
  return { SaleToPOIRequest: { MessageHeader, [`${category}Request`]: request } };
}

test('its port is the one that the library calls', () => {
  assert.equal(nexoSettings.parse({ poiId: 'P' }).port, 8443);
});

for (const [way, open] of [
  ['in clear', clear],
  ['encrypted', encrypted],
] as const) {
  test(`the library, ${way}: a payment, its status, its reversal, an abort, a print and a diagnosis`, async () => {
    const send = open();
    const booked = await stage.posted();
    const serviceId = `P${++services}`;
    const paying = send(message('Payment', paymentOf(30), serviceId));
    await stage.tap('visa');
    const { PaymentResponse: paid } = (await paying).SaleToPOIResponse;
    assert.equal(paid.Response.Result, 'Success');
    assert.equal(paid.PaymentResult.AmountsResp.AuthorizedAmount, 30);
    assert.equal(paid.PaymentReceipt.length, 2);
    assert.equal((await stage.posted()).length, booked.length + 1);

    const MessageReference = { MessageCategory: 'Payment', ServiceID: serviceId, SaleID: 'Till 3' };
    const asked = await send(message('TransactionStatus', { MessageReference, ReceiptReprintFlag: false }));
    const { RepeatedMessageResponse: repeated } = asked.SaleToPOIResponse.TransactionStatusResponse;
    assert.deepEqual(repeated.RepeatedResponseMessageBody.PaymentResponse.POIData, paid.POIData);

    const OriginalPOITransaction = { POITransactionID: paid.POIData.POITransactionID };
    const back = await send(message('Reversal', { OriginalPOITransaction, ReversalReason: 'MerchantCancel' }));
    assert.equal(back.SaleToPOIResponse.ReversalResponse.Response.Result, 'Success');
    assert.equal((await stage.posted()).length, booked.length);

    const other = `P${++services}`;
    const second = send(message('Payment', paymentOf(31), other));
    await stage.view(({ scene }) => scene === 'chooseMethod');
    const named = { MessageCategory: 'Payment', ServiceID: other, SaleID: 'Till 3' };
    const aborted = await send(message('Abort', { AbortReason: 'MerchantAbort', MessageReference: named }));
    assert.equal(aborted.SaleToPOIResponse, undefined);
    const { Response } = (await second).SaleToPOIResponse.PaymentResponse;
    assert.deepEqual([Response.Result, Response.ErrorCondition], ['Failure', 'Aborted']);

    const OutputContent = { OutputFormat: 'Text', OutputText: [{ Text: `Number ${serviceId}` }] };
    const PrintOutput = { DocumentQualifier: 'Document', ResponseMode: 'PrintEnd', OutputContent };
    const printed = await send(message('Print', { PrintOutput }));
    assert.equal(printed.SaleToPOIResponse.PrintResponse.Response.Result, 'Success');
    assert.ok((await stage.paper()).includes(`Number ${serviceId}`));

    const diagnosed = await send(message('Diagnosis', { HostDiagnosisFlag: true }));
    assert.equal(diagnosed.SaleToPOIResponse.DiagnosisResponse.POIStatus.GlobalStatus, 'OK');
  });
}

test('a rejected message is read by the library, in clear and encrypted', async () => {
  for (const send of [clear(), encrypted()]) {
    const wrong = message('Payment', paymentOf(30));
    wrong.SaleToPOIRequest.MessageHeader.POIID = 'POID-2';
    const { SaleToPOIRequest: event } = await send(wrong);
    assert.equal(event.EventNotification.EventToNotify, 'Reject');
  }
});

test('a wrong passphrase is an error of the library with the terminal’s text', async () => {
  const api = new TerminalLocalAPI(clientOf(path.join(dir, 'cert.pem')));
  const asked = api.request(message('Payment', paymentOf(30)), { ...securityKey, Passphrase: 'a wrong passphrase' });
  await assert.rejects(asked, /not secured with a key of this terminal/);
});

test('the library waits for a customer who takes longer than its thirty seconds', async () => {
  const paying = encrypted()(message('Payment', paymentOf(30)));
  await new Promise((resolve) => setTimeout(resolve, 33_000));
  await stage.tap('visa');
  assert.equal((await paying).SaleToPOIResponse.PaymentResponse.Response.Result, 'Success');
});
