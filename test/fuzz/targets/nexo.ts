import assert from 'node:assert/strict';
import { parseJson } from '../../../src/pos/api/input.ts';
import { readJsonRequest } from '../../../src/pos/api/json-request.ts';
import type { PosCalls } from '../../../src/pos/contracts/pos-calls.ts';
import { answerText, readEnvelope, rejectText } from '../../../src/pos/nexo/envelope.ts';
import { handleMessage } from '../../../src/pos/nexo/handle-message.ts';
import { posIdOf } from '../../../src/pos/nexo/identity.ts';
import type { KnownMessages, Prepared } from '../../../src/pos/nexo/known-messages.ts';
import { deriveKey } from '../../../src/pos/nexo/security-trailer.ts';
import { paymentOf, secure } from '../../pos/nexo/till.ts';
import { json, jsonNests, jsonTokens, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, canary, type Target } from '../target.ts';

/** A test key. */
const settings = { identifier: 'test-key', version: 1, passphrase: 'a test passphrase' };
const key = deriveKey(settings);
const header = (category: string) => ({
  ProtocolVersion: '3.0',
  MessageClass: 'Service',
  MessageCategory: category,
  MessageType: 'Request',
  ServiceID: '1',
  SaleID: 'Till 1',
  POIID: 'POID-1',
});
const OutputContent = { OutputFormat: 'Text', OutputText: [{ Text: 'a', EndOfLineFlag: false }, { Text: canary }] };
const OriginalPOITransaction = { POITransactionID: { TransactionID: 'T-1', TimeStamp: 'x' } };
const MessageReference = { MessageCategory: 'Payment', ServiceID: '1' };
const requests: Readonly<Record<string, object>> = {
  Payment: paymentOf(88.3, { SaleToAcquirerData: 'tenderOption=AskGratuity&metadata.a=b' }, { PaymentType: 'Refund' }),
  Reversal: { OriginalPOITransaction, ReversedAmount: 10.5, ReversalReason: 'MerchantCancel' },
  Abort: { AbortReason: 'MerchantAbort', MessageReference },
  TransactionStatus: { MessageReference, ReceiptReprintFlag: 'true' },
  Diagnosis: { HostDiagnosisFlag: true },
  Print: { PrintOutput: { DocumentQualifier: 'Document', OutputContent } },
  Display: { DisplayOutput: [{ Device: 'CustomerDisplay', InfoQualify: 'Display', OutputContent }] },
  Input: { InputData: { Device: 'CustomerInput' } },
  CardAcquisition: { SaleData: paymentOf(1).SaleData },
};
const clear = Object.entries(requests).map(([category, request]) => ({
  SaleToPOIRequest: { MessageHeader: header(category), [`${category}Request`]: request },
}));
const secured = clear.map((message) => ({
  SaleToPOIRequest: secure(message.SaleToPOIRequest.MessageHeader, JSON.stringify(message), settings, Buffer.alloc(16)),
}));
const words = [
  '"MessageCategory":',
  '"PaymentRequest":',
  '"RequestedAmount":',
  '"NexoBlob":',
  '"KeyVersion":1',
  '"Payment"',
  '"Abort"',
  '88.30000000000001',
  '0.000000000000000000000000000001',
].map(text);

/** Knows no transaction, and can do nothing. */
const calls = new Proxy({} as PosCalls, {
  get: () => async () => ({ status: 404, body: { responseResult: 'NOT_FOUND', financialImpact: 'NONE' } }),
});
/** Nothing came before, and nothing is written. */
const messages = {
  isWhole: true,
  find: () => undefined,
  last: () => undefined,
  abort: () => undefined,
  makeVoid: () => undefined,
  release: () => undefined,
  claim: (named: object, prepare: () => Promise<Prepared>) => {
    const ready = prepare().then((found) => ('refused' in found ? found.refused : undefined));
    return { kind: 'new', message: { ...named, ready, calls: 0, isStarted: false, isAborted: false } };
  },
} as unknown as KnownMessages;
const random = { bytes: (length: number) => new Uint8Array(length) };
const clock = { now: () => new Date(0), setTimeout: () => undefined, clearTimeout: () => undefined };
const closing = new AbortController().signal;
const parts = { calls, messages, clock, holdMs: 1, closing, preAuth: true };

/** A message is answered, rejected or refused; what is refused is not repeated. */
export const nexoMessages: Target = {
  name: 'nexo-messages',
  share: 6,
  inputs: hostile({
    seeds: [...clear, ...secured].map(json),
    tokens: [...jsonTokens, ...words],
    nests: jsonNests,
  }),
  async check(input) {
    const read = readJsonRequest(Buffer.from(input).toString());
    if ('refused' in read) return;
    const envelope = readEnvelope(read.body, { keys: [key], clear: true });
    if (typeof envelope === 'string') return;
    const event = { key: undefined, random, poiId: 'POID-1', deviceId: '1', at: new Date(0) };
    if ('unacceptable' in envelope) return assertSilent(rejectText({}, envelope.unacceptable, event));
    const { header: own, request, digest } = envelope;
    assert.match(digest, /^[\w-]{43}$/);
    const posId = posIdOf(own.SaleID);
    assert.match(posId, /^[^\p{C}]{1,64}$/u);
    const handled = await handleMessage(request, { header: own, posId, caller: { address: '' }, digest }, parts);
    if (typeof handled === 'string') return assert.equal(handled, 'empty');
    if ('rejected' in handled) return assertSilent(rejectText({}, handled.rejected, event));
    const answer = answerText(own, handled.response, { key: envelope.key, random });
    parseJson(answer);
  },
};
