import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import tls from 'node:tls';
import { headOf } from '../../base/dial/answer-head.ts';
import { tlsRules } from '../../base/domain/tls-suites.ts';

/** How a terminal's own certificate is verified; by the machine's authorities if both are absent. */
export interface Trust {
  /** Certificates in PEM. */
  readonly ca?: string;
  /** SHA-256 of its certificate: hexadecimal, capital letters, no colons. */
  readonly fingerprint?: string;
}

/** A `fetch` that trusts a terminal's own certificate, and follows no redirect. A connection for each call. */
export function terminalFetch(trust: Trust): typeof globalThis.fetch {
  return async (input, init = {}) => {
    init.signal?.throwIfAborted();
    const url = new URL(input instanceof Request ? input.url : input);
    const { method = 'GET', headers, body, signal } = init;
    const options: RequestOptions = {
      method,
      headers: Object.fromEntries(new Headers(headers ?? {})),
      ...(signal ? { signal } : {}),
    };
    const request =
      url.protocol === 'https:'
        ? https.request(url, { ...options, ...trustOptions(trust, signal ?? undefined) })
        : http.request(url, { ...options, agent: false });
    const { promise: ended, reject } = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    request.end(typeof body === 'string' ? body : undefined);
    return asResponse(await Promise.race([headOf(request), ended]));
  };
}

function asResponse(message: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = message;
  if (status < 200 || (status >= 300 && status < 400) || status === 204) {
    message.destroy();
    throw new Error(`status ${status}, which no terminal answers`);
  }
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, { status, headers });
}

/** With a fingerprint the certificate is compared before a byte of the call is sent. */
function trustOptions({ ca, fingerprint }: Trust, signal: AbortSignal | undefined): https.RequestOptions {
  if (fingerprint === undefined) return { ...tlsRules, agent: false, ...(ca === undefined ? {} : { ca }) };
  return {
    createConnection: (options, onConnection) => {
      const { host, port } = options as { host?: string; port?: number };
      const name = host && /^[\d.:]+$/.test(host) ? {} : { servername: host ?? '' };
      const target = { host: host ?? '', port: Number(port), ...name };
      const socket = tls.connect({ ...tlsRules, ...target, rejectUnauthorized: false });
      // Node ends a request, and leaves a connection that was made for it.
      signal?.addEventListener('abort', () => socket.destroy(signal.reason as Error), { once: true });
      socket.once('error', (error) => onConnection?.(error, socket));
      socket.once('secureConnect', () => {
        if (socket.getPeerCertificate().fingerprint256.replaceAll(':', '') === fingerprint) {
          onConnection?.(null, socket);
          return;
        }
        socket.destroy(new Error('its certificate has another fingerprint'));
      });
      return undefined;
    },
  };
}
