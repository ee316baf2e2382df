import type { IncomingMessage, ServerResponse } from 'node:http';

export type Handler = (request: IncomingMessage, response: ServerResponse, id: string) => Promise<void> | void;
export type Methods = Readonly<Partial<Record<'GET' | 'POST' | 'DELETE', Handler>>>;

export function sendJson(response: ServerResponse, body: object): void {
  send(response, 'application/json', `${JSON.stringify(body)}\n`);
}

/** Never cached: the next call may have another answer. */
export function send(response: ServerResponse, type: string, body: string | Buffer, status = 200): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
