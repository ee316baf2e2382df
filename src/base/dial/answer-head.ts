import type { ClientRequest, IncomingMessage } from 'node:http';
import { systemClock } from '../ports/clock.ts';

/** Interim answers (RFC 9110, 15.2) before the final one. A genuine server sends one or two. */
export const interimAnswersMax = 8;

/** Calls back if the server sends more interim answers than any genuine one. */
export function limitInterimAnswers(request: ClientRequest, onFlood: (error: Error) => void): void {
  let count = 0;
  request.on('information', () => {
    count += 1;
    if (count > interimAnswersMax) onFlood(new Error(`more than ${interimAnswersMax} interim answers`));
  });
}

/**
 * The head of the answer, whatever the server sends: rejects with the reason if none comes, or not within `limitMs`.
 * The request has ended then. Bytes and interim answers extend no limit. Status 101 is no answer: no caller asks for
 * another protocol.
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
  // It always comes: a request without a connection reports no error, nor does one whose server ends it by a 101.
  request.on('close', () => reject(new Error('the connection was closed without an answer')));
  return promise.finally(() => systemClock.clearTimeout(timer));
}
