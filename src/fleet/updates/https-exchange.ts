import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Socket } from 'node:net';
import { headOf } from '../../base/dial/answer-head.ts';
import { dialHost } from '../../base/dial/dial.ts';
import { systemClock } from '../../base/ports/clock.ts';
import type { HttpAnswer, HttpExchange, HttpRequest } from './http-exchange.ts';

/** PEM texts, and the only server that the terminal's own certificate is shown to. */
export interface TlsIdentity {
  readonly ca?: string;
  /** The scheme, host and port of that server: `https://updates.example`. */
  readonly server?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** HTTP and HTTPS, a connection for each request: minutes lie between them. It follows no redirection. */
export class HttpsExchange implements HttpExchange {
  readonly #identity: TlsIdentity;
  readonly #silenceMs: number;
  readonly #dial: typeof dialHost;
  readonly #end: AbortSignal;

  /**
   * `silenceMs`: the limit for a silent connection, for opening a connection, and for the whole head of an answer.
   * `end` ends all requests.
   */
  constructor(
    identity: TlsIdentity,
    silenceMs = 60_000,
    dial = dialHost,
    end: AbortSignal = new AbortController().signal,
  ) {
    this.#end = end;
    this.#identity = identity;
    this.#silenceMs = silenceMs;
    this.#dial = dial;
  }

  async send({ method, url, headers, body }: HttpRequest): Promise<HttpAnswer> {
    const socket = await this.#connect(url);
    const begin = url.protocol === 'https:' ? requestSecure : requestPlain;
    // With a connection of our own, Node assumes a default port of 80, and would add the port to Host.
    const options = { method, headers: { host: url.host, ...headers }, createConnection: () => socket };
    const request = begin(url, options);
    this.#limit(request, socket);
    request.end(body);
    return answerOf(await headOf(request, this.#silenceMs));
  }

  /** Ends the request when its connection is silent, and when all requests are ended. */
  #limit(request: ClientRequest, socket: Socket): void {
    let response: IncomingMessage | undefined;
    request.once('response', (begun) => (response = begun));
    const fail = (error: Error) => {
      // The reader of the body gets this reason instead of 'aborted'.
      response?.destroy(error);
      request.destroy(error);
    };
    socket.setTimeout(this.#silenceMs, () => fail(new Error(`nothing came for ${this.#silenceMs} ms`)));
    const leave = () => fail(new Error('the requests were ended'));
    this.#end.addEventListener('abort', leave);
    socket.once('close', () => this.#end.removeEventListener('abort', leave));
  }

  #connect({ protocol, hostname, port, origin }: URL): Promise<Socket> {
    const { ca, server, certificate, key } = this.#identity;
    // A link to a bundle may lead to another server, which must not learn the terminal's identity.
    const own = certificate === undefined || origin !== server ? {} : { cert: certificate, key };
    const tls = { ...(ca === undefined ? {} : { ca }), ...own, ALPNProtocols: ['http/1.1'] };
    const isSecure = protocol === 'https:';
    const target = {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (isSecure ? 443 : 80)),
      secure: isSecure ? tls : undefined,
      connectTimeoutMs: this.#silenceMs,
    };
    return this.#dial(target, systemClock, this.#end);
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
