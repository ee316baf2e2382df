import { createCipheriv, createDecipheriv, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

// Answers are not typed: an absent field fails the test's assertion.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface TillKey {
  readonly identifier: string;
  readonly version: number;
  readonly passphrase: string;
}

/** Derived and used as published, apart from the terminal's own code. */
function secretsOf({ passphrase }: TillKey) {
  const all = pbkdf2Sync(Buffer.from(passphrase, 'latin1'), 'AdyenNexoV1Salt', 4_000, 80, 'sha1');
  return { mac: all.subarray(0, 32), cipher: all.subarray(32, 64), iv: all.subarray(64, 80) };
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));
}

export function secure(header: Json, text: string, key: TillKey, nonce = randomBytes(16)): Json {
  const { mac, cipher: cipherKey, iv } = secretsOf(key);
  const cipher = createCipheriv('aes-256-cbc', cipherKey, xor(iv, nonce));
  const blob = Buffer.concat([cipher.update(text), cipher.final()]);
  return {
    MessageHeader: header,
    NexoBlob: blob.toString('base64'),
    SecurityTrailer: {
      AdyenCryptoVersion: 1,
      KeyIdentifier: key.identifier,
      KeyVersion: key.version,
      Nonce: nonce.toString('base64'),
      Hmac: createHmac('sha256', mac).update(text).digest('base64'),
    },
  };
}

export function unsealAnswer({ NexoBlob, SecurityTrailer }: Json, key: TillKey): string {
  const { mac, cipher, iv } = secretsOf(key);
  const decipher = createDecipheriv('aes-256-cbc', cipher, xor(iv, Buffer.from(SecurityTrailer.Nonce, 'base64')));
  const text = Buffer.concat([decipher.update(Buffer.from(NexoBlob, 'base64')), decipher.final()]).toString();
  if (createHmac('sha256', mac).update(text).digest('base64') !== SecurityTrailer.Hmac) throw new Error('forged');
  return text;
}

export interface NexoAnswer {
  readonly status: number;
  /** As it came, with the spaces before it. */
  readonly raw: string;
  /** Of SaleToPOIResponse or SaleToPOIRequest, in clear. */
  readonly body: Json;
}

export interface TillOptions {
  readonly port: number;
  readonly saleId?: string;
  readonly poiId?: string;
  readonly key?: TillKey;
}

let services = 0;

/** A till that speaks nexo, written from the published description. */
export class NexoTill {
  readonly #options: Required<Omit<TillOptions, 'key'>> & Pick<TillOptions, 'key'>;

  constructor({ saleId = 'Till 1', poiId = 'POID-1', ...options }: TillOptions) {
    this.#options = { saleId, poiId, ...options };
  }

  header(category: string, serviceId = `S${++services}`): Json {
    const { saleId, poiId } = this.#options;
    const isDevice = ['Display', 'Print', 'Input'].includes(category);
    return {
      ProtocolVersion: '3.0',
      MessageClass: isDevice ? 'Device' : 'Service',
      MessageCategory: category,
      MessageType: 'Request',
      ServiceID: serviceId,
      SaleID: saleId,
      POIID: poiId,
    };
  }

  /** Sends a request of this category. `signal` breaks the connection. */
  async ask(category: string, request: Json, serviceId?: string, signal?: AbortSignal): Promise<NexoAnswer> {
    const header = this.header(category, serviceId);
    return this.send({ MessageHeader: header, [`${category}Request`]: request }, signal);
  }

  async send(message: Json, signal?: AbortSignal): Promise<NexoAnswer> {
    const { key } = this.#options;
    const text = JSON.stringify({ SaleToPOIRequest: message });
    const sent = key ? JSON.stringify({ SaleToPOIRequest: secure(message.MessageHeader, text, key) }) : text;
    const { status, raw } = await this.post(sent, signal);
    const json = raw.trim() === '' ? undefined : JSON.parse(raw);
    const secured = json?.SaleToPOIResponse?.NexoBlob === undefined ? undefined : json.SaleToPOIResponse;
    const clear = secured && key ? JSON.parse(unsealAnswer(secured, key)) : json;
    return { status, raw, body: clear?.SaleToPOIResponse ?? clear?.SaleToPOIRequest ?? clear };
  }

  /** Any body. */
  async post(body: string, signal?: AbortSignal): Promise<{ readonly status: number; readonly raw: string }> {
    const asked = httpsRequest({
      host: '127.0.0.1',
      port: this.#options.port,
      path: '/nexo/',
      method: 'POST',
      rejectUnauthorized: false,
      headers: { 'content-type': 'application/json' },
      agent: false,
      ...(signal ? { signal } : {}),
    });
    asked.end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    let raw = '';
    for await (const chunk of answer.setEncoding('utf8')) raw += String(chunk);
    return { status: answer.statusCode ?? 0, raw };
  }

  payment(fields: { amount?: number; serviceId?: string; sale?: Json; data?: Json; transaction?: Json } = {}) {
    const { amount = 30, serviceId, sale = {}, data, transaction = {} } = fields;
    return this.ask('Payment', paymentOf(amount, sale, data, transaction), serviceId);
  }

  reversal(id: Json, fields: Json = {}, serviceId?: string) {
    const OriginalPOITransaction = { POITransactionID: id };
    return this.ask('Reversal', { OriginalPOITransaction, ReversalReason: 'MerchantCancel', ...fields }, serviceId);
  }

  abort(serviceId: string) {
    const MessageReference = { MessageCategory: 'Payment', ServiceID: serviceId };
    return this.ask('Abort', { AbortReason: 'MerchantAbort', MessageReference });
  }

  status(serviceId?: string) {
    const MessageReference = { MessageCategory: 'Payment', ServiceID: serviceId };
    return this.ask('TransactionStatus', serviceId === undefined ? {} : { MessageReference });
  }
}

export function paymentOf(amount: number, sale: Json = {}, data?: Json, transaction: Json = {}): Json {
  return {
    SaleData: { SaleTransactionID: { TransactionID: 'order 7', TimeStamp: '2026-01-02T03:04:05Z' }, ...sale },
    PaymentTransaction: { AmountsReq: { Currency: 'HKD', RequestedAmount: amount }, ...transaction },
    ...(data ? { PaymentData: data } : {}),
  };
}
