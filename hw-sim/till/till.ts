import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import type { OpenTap } from '../wires/tap.ts';
import { tapSocket } from '../wires/tap.ts';

/** Longer than a terminal takes for a payment: it answers when the payment is over. */
const patienceMs = 600_000;
const answerBytesMax = 4 * 1024 * 1024;

export interface TillCall {
  readonly method: 'GET' | 'POST';
  /** Behind /sp/v1/. */
  readonly path: string;
  readonly body?: object;
}

export interface TillAnswer {
  readonly status: number;
  /** Of the answer, as the terminal wrote it. */
  readonly body: string;
  readonly ms: number;
}

/** The till could not reach the terminal, or its answer broke off. */
export class TillError extends Error {
  override readonly name = 'TillError';
}

/**
 * One call of a till, on a connection of its own, which `openTap` observes. `api`: origin of the terminal's API. Its
 * certificate is self-signed and not checked, because the terminal is on this machine. Rejects with TillError.
 */
export async function callTerminal(
  api: string,
  { method, path, body }: TillCall,
  openTap: OpenTap,
): Promise<TillAnswer> {
  const url = new URL(`/sp/v1/${path}`, api);
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  const begun = performance.now();
  const { request: send } = url.protocol === 'https:' ? https : http;
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const request = send(
    url,
    { method, headers, timeout: patienceMs, createConnection: () => connection(url, openTap) },
    resolve,
  );
  request.on('timeout', () => request.destroy(new Error('no answer')));
  request.on('error', reject);
  request.end(text);
  try {
    const response = await promise;
    const answer = await textOf(response);
    return { status: response.statusCode ?? 0, body: answer, ms: Math.round(performance.now() - begun) };
  } catch (error) {
    throw new TillError(error instanceof Error ? error.message : String(error));
  }
}

function connection(url: URL, openTap: OpenTap): net.Socket {
  const port = Number(url.port);
  const host = url.hostname;
  const socket =
    url.protocol === 'https:' ? tls.connect({ port, host, rejectUnauthorized: false }) : net.connect({ port, host });
  tapSocket(socket, openTap());
  return socket;
}

async function textOf(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > answerBytesMax) throw new Error(`an answer of more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
