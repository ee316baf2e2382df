import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { TestContext } from 'node:test';
import type { ScreenView } from '../../src/payment/contracts/screen.ts';
import type { DrawnCode } from '../../src/screen/drawn-code.ts';
import { type ScreenServer, serveScreen } from '../../src/screen/server.ts';

export async function served(t: TestContext): Promise<ScreenServer> {
  const screen = await serveScreen(0);
  t.after(() => screen.close());
  return screen;
}

/** One request on its own connection; the answer's body is text, and not read yet. */
export async function ask(
  port: number,
  path: string,
  headers: OutgoingHttpHeaders = {},
  method = 'GET',
  body?: string | Buffer,
): Promise<IncomingMessage> {
  const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false });
  request.on('error', () => undefined).end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response.setEncoding('utf8');
}

type DrawnView = ScreenView & { readonly modules?: DrawnCode };

/** A browser that watches: its views, one after the other. */
export class Watcher {
  readonly response: IncomingMessage;
  readonly gone: Promise<unknown>;
  text = '';
  #onData: (() => void) | undefined;

  private constructor(response: IncomingMessage) {
    this.response = response;
    this.gone = new Promise((resolve) => response.once('close', resolve));
    response.on('error', () => undefined);
    response.on('data', (chunk: string) => {
      this.text += chunk;
      this.#onData?.();
    });
  }

  static async open(port: number, headers = {}): Promise<Watcher> {
    const response = await ask(port, '/events', headers);
    assert.equal(response.statusCode, 200);
    return new Watcher(response);
  }

  async characters(count: number): Promise<void> {
    while (this.text.length < count) await new Promise<void>((resolve) => (this.#onData = resolve));
  }

  /** Resolves with all views so far, once there are `count`. */
  async views(count: number): Promise<DrawnView[]> {
    for (;;) {
      const views = Array.from(
        this.text.matchAll(/^data: (.*)\n\n/gm),
        ([, data = '']) => JSON.parse(data) as DrawnView,
      );
      if (views.length >= count) return views;
      await new Promise<void>((resolve) => (this.#onData = resolve));
    }
  }
}
