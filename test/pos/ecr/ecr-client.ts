import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { readFileSync } from 'node:fs';

/**
 * A client of ECR, written from the published page (QFPay/docs@3943715, docs/pos/ecr.md): it shares no code with the
 * terminal.
 */

export type Content = Readonly<Record<string, string | number | null>>;

interface PrintedPage {
  readonly calls: readonly { readonly call: string; readonly hex: string }[];
  readonly canonical: { readonly hex: string };
  readonly serial: { readonly hex: string };
}

/** What the page prints, byte for byte. */
export const page = JSON.parse(
  readFileSync(new URL('../../../fixtures/ecr/page.json', import.meta.url), 'utf8'),
) as PrintedPage;

export function printed({ hex }: { readonly hex: string }): string {
  return Buffer.from(hex, 'hex').toString('utf8');
}

/** The content of a call as the page prints it. */
export function printedContent(name: string): Content {
  const found = page.calls.find(({ call }) => call === name);
  if (!found) throw new Error(`the page has no ${name}`);
  return (JSON.parse(printed(found)) as { content: Content }).content;
}

const vector = Buffer.from('qfpay202306_hjsh');

/** Fields in ascending order; texts in single quotes, nothing as an empty text. */
export function signedText(content: Content): string {
  const parts = Object.keys(content)
    .sort()
    .map((name) => {
      const value = content[name] ?? '';
      return typeof value === 'number' ? `${name}=${value}` : `${name}='${value}'`;
    });
  return `{${parts.join(',')}}`;
}

export function md5(text: string): string {
  return createHash('md5').update(text, 'utf8').digest('hex');
}

export function seal(text: string, key: string): string {
  const bits = Buffer.from(key).length * 8;
  const cipher = createCipheriv(`aes-${bits}-cbc`, key, vector);
  return cipher.update(text, 'utf8', 'base64') + cipher.final('base64');
}

export function unseal(text: string, key: string): string {
  const decipher = createDecipheriv(`aes-${Buffer.from(key).length * 8}-cbc`, key, vector);
  return decipher.update(text, 'base64', 'utf8') + decipher.final('utf8');
}

/** The forms of a request. `odoo` and `whole`: all of it is encrypted. `content`: only the content. `clear`: nothing. */
export type Form = 'odoo' | 'whole' | 'content' | 'clear';

export function bodyOf(content: Content, key: string, form: Form): string {
  const text = signedText(content);
  const digest = md5(text + key);
  switch (form) {
    case 'odoo':
      return JSON.stringify(seal(`{content:${text}, digest:'${digest.toUpperCase()}'}`, key));
    case 'whole':
      return seal(JSON.stringify({ content, digest }), key);
    case 'content': {
      const sealed = seal(JSON.stringify(content), key);
      return JSON.stringify({ content: sealed, digest: md5(sealed + key) });
    }
    default:
      return JSON.stringify({ content, digest });
  }
}

export interface Reply {
  readonly respcd: string;
  readonly respmsg: string;
  readonly resperr: string;
  /** Parsed a second time; undefined if it is empty. */
  readonly data: Readonly<Record<string, string>> | undefined;
}

export interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One call on a connection of its own. */
export class EcrClient {
  readonly #port: number;
  readonly #key: string;
  readonly #form: Form;

  constructor(port: number, key: string, form: Form = 'odoo') {
    this.#port = port;
    this.#key = key;
    this.#form = form;
  }

  async call(name: string, content: Content, signal?: AbortSignal): Promise<Reply> {
    const { text } = await this.post(name, bodyOf(content, this.#key, this.#form), {}, signal);
    return replyOf(text);
  }

  post(
    name: string,
    body: string,
    { method = 'POST', ...headers }: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<Raw> {
    return new Promise((resolve, reject) => {
      const request = httpsRequest({
        host: '127.0.0.1',
        port: this.#port,
        path: `/api/pos/${name}`,
        method,
        agent: false,
        rejectUnauthorized: false,
        headers: { 'Content-Type': 'application/json', ...headers },
        ...(signal ? { signal } : {}),
      });
      request.on('error', reject);
      request.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      request.end(method === 'POST' ? body : undefined);
    });
  }
}

export function replyOf(text: string): Reply {
  const { data, ...others } = JSON.parse(text) as Omit<Reply, 'data'> & { data: string };
  return { ...others, data: data === '' ? undefined : (JSON.parse(data) as Record<string, string>) };
}

/** GET /sp/v1/status of a terminal with HTTPS, whose address a stage names with http. */
export async function terminalStatus(apiUrl: string): Promise<{ protocols: { ecr: Record<string, number> } }> {
  const url = `${apiUrl.replace('http:', 'https:')}/sp/v1/status`;
  const asking = httpsRequest(url, { rejectUnauthorized: false, agent: false });
  asking.end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  return JSON.parse(Buffer.concat(await response.toArray()).toString()) as {
    protocols: { ecr: Record<string, number> };
  };
}

/** A client of the ECR of that terminal. */
export async function clientAt(apiUrl: string, key: string): Promise<EcrClient> {
  const { port } = (await terminalStatus(apiUrl)).protocols.ecr;
  if (port === undefined) throw new Error('the terminal has no ECR');
  return new EcrClient(port, key);
}
