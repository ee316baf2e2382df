import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { HttpAnswer, HttpExchange, HttpRequest } from './http-exchange.ts';

/** PEM texts. */
export interface TlsIdentity {
  readonly ca?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** HTTP and HTTPS, a connection for each request: minutes lie between them. It follows no redirection. */
export class HttpsExchange implements HttpExchange {
  readonly #identity: TlsIdentity;
  readonly #silenceMs: number;

  /** `silenceMs`: how long a connection may carry nothing. */
  constructor(identity: TlsIdentity, silenceMs = 60_000) {
    this.#identity = identity;
    this.#silenceMs = silenceMs;
  }

  send({ method, url, headers, body }: HttpRequest): Promise<HttpAnswer> {
    const { ca, certificate, key } = this.#identity;
    const tls = {
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined ? {} : { cert: certificate, key }),
    };
    const send = url.protocol === 'https:' ? requestSecure : requestPlain;
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent: false, timeout: this.#silenceMs, ...tls };
      let response: IncomingMessage | undefined;
      const request = send(url, options, (begun: IncomingMessage) => {
        response = begun;
        resolve(answerOf(begun));
      });
      request.on('timeout', () => {
        const silence = new Error(`nothing came for ${this.#silenceMs} ms`);
        // Whoever reads the body is told; 'aborted' would say nothing.
        response?.destroy(silence);
        request.destroy(silence);
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}

function answerOf(response: IncomingMessage): HttpAnswer {
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: response,
    drop: () => void response.destroy(),
  };
}
