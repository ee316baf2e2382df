import type { ClientRequest, IncomingMessage } from 'node:http';
import { systemClock } from '../ports/clock.ts';

/** Interim answers (RFC 9110, 15.2) before the final one. A genuine server sends one or two. */
export const interimAnswersMax = 8;

/** Calls `onFlood` if the server sends more interim answers than any genuine one. */
export function limitInterimAnswers(request: ClientRequest, onFlood: (error: Error) => void): void {
  let count = 0;
  request.on('information', () => {
    count += 1;
    if (count > interimAnswersMax) onFlood(new Error(`more than ${interimAnswersMax} interim answers`));
  });
}

/**
 * The head of the answer. If no head is received, or none within `limitMs`, ends the request and rejects with the
 * reason. Neither bytes nor interim answers extend the limit. Status 101 is not accepted: no caller requests another
 * protocol.
 */
export function headOf(request: ClientRequest, limitMs?: number): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const fail = (error: Error) => {
    reject(error);
    request.destroy(error);
  };
  const timer =
    limitMs === undefined
      ? undefined
      : systemClock.setTimeout(() => fail(new Error(`no whole head of an answer within ${limitMs} ms`)), limitMs);
  limitInterimAnswers(request, fail);
  request.on('response', resolve);
  request.on('upgrade', (_, socket) => {
    socket.destroy();
    fail(new Error('status 101, which nobody has asked for'));
  });
  request.on('error', reject);
  // 'close' is always emitted. A request without a connection emits no 'error', nor does one that a 101 ends.
  request.on('close', () => reject(new Error('the connection was closed without an answer')));
  return promise.finally(() => systemClock.clearTimeout(timer));
}
