import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { testAppCode, testClientKey } from '../../../../hw-sim/host/qfpay/host.ts';

export type Fields = Readonly<Record<string, string>>;
export type Call = 'payment' | 'query' | 'refund' | 'reversal' | 'close';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The JSON of it; empty where it is none. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly respcd: unknown;
}

export interface How {
  readonly key?: string;
  readonly signType?: 'MD5' | 'SHA256';
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly method?: string;
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
}

const digest = (type: 'MD5' | 'SHA256', text: string) =>
  createHash(type.toLowerCase()).update(text).digest('hex').toUpperCase();

export const escaped = (fields: Fields) => new URLSearchParams({ ...fields }).toString();

/** A terminal's side of the HTTP API, written from the published documents. */
export class Client {
  readonly #port: () => number;

  constructor(port: () => number) {
    this.#port = port;
  }

  async call(call: Call, fields: Fields, how: How = {}): Promise<Answer> {
    return this.send(`/trade/v1/${call}`, fields, how);
  }

  /** data[] of an enquiry. */
  async enquire(fields: Fields): Promise<Readonly<Record<string, unknown>>[]> {
    const { body, respcd } = await this.call('query', fields);
    assert.equal(respcd, '0000');
    assert.ok(Array.isArray(body['data']));
    return body['data'] as Readonly<Record<string, unknown>>[];
  }

  send(path: string, fields: Fields, how: How = {}): Promise<Answer> {
    const { key = testClientKey, signType = 'SHA256', body = escaped(fields), method = 'POST' } = how;
    const signed = Object.keys(fields)
      .toSorted()
      .map((name) => `${name}=${fields[name]}`)
      .join('&');
    const headers = Object.entries({
      'content-type': 'application/x-www-form-urlencoded',
      'x-qf-appcode': testAppCode,
      'x-qf-sign': digest(signType, signed + key),
      'x-qf-signtype': signType,
      'content-length': Buffer.byteLength(body).toString(),
      ...how.headers,
    }).filter((header): header is [string, string] => header[1] !== undefined);
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.#port(),
          path,
          method,
          headers: Object.fromEntries(headers),
          agent: how.agent ?? new Agent({ keepAlive: false }),
          ...(how.signal && { signal: how.signal }),
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            const json = parsed(text);
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              body: json,
              respcd: json['respcd'],
            });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

/** Whether an answer is signed as the contract has it: over its text, with the key behind. */
export function isSigned({ headers, text }: Answer, key = testClientKey): boolean {
  const type = headers['x-qf-signtype'] === 'MD5' ? 'MD5' : 'SHA256';
  return headers['x-qf-sign'] === digest(type, text + key);
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
