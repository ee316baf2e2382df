import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { headOf } from '../../base/dial/answer-head.ts';
import { dialHost } from '../../base/dial/dial.ts';
import { systemClock } from '../../base/ports/clock.ts';
import type { NoticeTarget, Post, PostResult } from './notifier.ts';

const connectTimeoutMs = 10_000;
const answerTimeoutMs = 15_000;
/** Of an answer: SUCCESS, and line ends. A longer one is not read to its end, and is not that. */
const answerBytesMax = 1_024;

/** Over a connection of its own. A redirect is not followed: the address is that of the configuration. */
export const postNotice: Post = async (target, notice, signal) => {
  const url = new URL(target.url);
  const socket = await dialTarget(url, target, signal).catch(() => undefined);
  if (!socket) return 'unreached';
  try {
    return await exchange(url, notice, socket, signal);
  } catch {
    return 'failed';
  } finally {
    socket.destroy();
  }
};

function dialTarget(url: URL, { ca }: NoticeTarget, signal: AbortSignal): Promise<Socket> {
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  const secure = isSecure ? { ca, ALPNProtocols: ['http/1.1'] } : undefined;
  return dialHost({ host, port, secure, connectTimeoutMs }, systemClock, signal);
}

async function exchange(
  url: URL,
  { body, signature }: { readonly body: string; readonly signature: string },
  socket: Socket,
  signal: AbortSignal,
): Promise<PostResult> {
  socket.on('error', () => undefined);
  const request = httpRequest({
    createConnection: () => socket,
    method: 'POST',
    host: url.hostname,
    path: `${url.pathname}${url.search}`,
    headers: {
      Host: url.host,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-QF-SIGN': signature,
      Connection: 'close',
    },
  });
  const end = () => request.destroy();
  const timer = systemClock.setTimeout(end, answerTimeoutMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await answerTo(request, body);
  } finally {
    systemClock.clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

async function answerTo(request: ClientRequest, body: string): Promise<PostResult> {
  const head = headOf(request, answerTimeoutMs);
  request.end(body);
  const response = await head;
  const text = await beginOf(response);
  return response.statusCode === 200 && text.trim() === 'SUCCESS' ? 'accepted' : 'failed';
}

async function beginOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1');
    if (text.length > answerBytesMax) return '';
  }
  return text;
}
