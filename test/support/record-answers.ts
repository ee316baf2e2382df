import { appendFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a terminal before it starts (`--import`): writes each answer of its interface to POID_REPORTED_ANSWERS, a line
 * of JSON each. Here no answer is left out, whatever client asked for it: fetch, curl, a bare socket, over TLS or not.
 */
const file = process.env['POID_REPORTED_ANSWERS'];

if (file !== undefined && isMainThread) {
  recordResponses(file);
  recordBareAnswers(file);
}

/** The whole document is what the others are judged by, and a page is no JSON. */
function isApi(path: string): boolean {
  return path.startsWith('/sp/v1/') || path === '/unknown';
}

function recordResponses(to: string): void {
  for (const method of ['write', 'end'] as const) {
    const original = ServerResponse.prototype[method] as (...given: unknown[]) => unknown;
    const recording = function (this: ServerResponse, ...given: unknown[]) {
      // A target in absolute-form that is refused stays as it came.
      const [path = ''] = (this.req.url ?? '').replace(/^https?:\/\/[^/]*/, '').split('?');
      const [text] = given;
      if (typeof text === 'string' && isApi(path)) {
        const { statusCode: status, req } = this;
        appendFileSync(to, `${JSON.stringify({ method: req.method, path, status, text })}\n`);
      }
      return original.apply(this, given);
    };
    Object.defineProperty(ServerResponse.prototype, method, { value: recording });
  }
}

/** What Node's parser refuses is written to the socket by hand. */
function recordBareAnswers(to: string): void {
  const original = Reflect.get(Duplex.prototype, 'end') as (...given: unknown[]) => Duplex;
  const recording = function (this: Duplex, ...given: unknown[]) {
    const [data] = given;
    const [, status, text] = (typeof data === 'string' && /^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n(\{.*)$/.exec(data)) || [];
    if (status !== undefined)
      appendFileSync(to, `${JSON.stringify({ method: '', path: '', status: Number(status), text })}\n`);
    return original.apply(this, given);
  };
  Object.defineProperty(Duplex.prototype, 'end', { value: recording });
}
