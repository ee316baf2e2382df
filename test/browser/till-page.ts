import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { bundleClient } from '../../build/client-module.ts';
import type { KeyAndCertificate } from '../../src/base/tls/certificate.ts';

const examples = fileURLToPath(new URL('../../docs/examples/', import.meta.url));
const types: Readonly<Record<string, string>> = { html: 'text/html; charset=utf-8', js: 'text/javascript' };

/** The shop's own server: it has the till of docs/examples, or nothing but an empty page. */
export class ShopServer {
  readonly port: number;
  readonly close: () => void;

  private constructor(port: number, close: () => void) {
    this.port = port;
    this.close = close;
  }

  static async open(dir: string, secured?: KeyAndCertificate): Promise<ShopServer> {
    const client = path.join(dir, 'client.js');
    await bundleClient(client);
    const files: Readonly<Record<string, string>> = {
      '/browser.html': path.join(examples, 'browser.html'),
      '/browser.js': path.join(examples, 'browser.js'),
      '/client.js': client,
    };
    const answer: RequestListener = ({ url = '' }, response) => {
      const file = files[url];
      response.writeHead(200, { 'content-type': types[url.replace(/^.*\./, '')] ?? 'text/html' });
      if (file === undefined) response.end('<!doctype html><title>a page');
      else createReadStream(file).pipe(response);
    };
    const server = secured ? createSecureServer(secured, answer) : createServer(answer);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ShopServer((server.address() as AddressInfo).port, () => {
      server.close();
      server.closeAllConnections();
    });
  }
}

/** The till of docs/examples/browser.html, as its cashier has it. */
export class TillPage {
  readonly page: Page;
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(15_000);
    page.on('pageerror', (error) => this.complaints.push(String(error)));
  }

  static async open(context: BrowserContext, origin: string, terminal: string): Promise<TillPage> {
    const till = new TillPage(await context.newPage());
    await till.page.addInitScript(
      `localStorage.getItem('terminal') ?? localStorage.setItem('terminal', '${terminal}')`,
    );
    await till.page.goto(`${origin}/browser.html`);
    return till;
  }

  press(button: string): Promise<void> {
    return this.page.click(`#${button}`);
  }

  text(id: string): Promise<string | null> {
    return this.page.textContent(`#${id}`);
  }

  /** Waits until the text is there. */
  async reads(id: string, wanted: RegExp): Promise<void> {
    const found = this.page.locator(`#${id}`).filter({ hasText: wanted });
    await found.waitFor({ state: 'attached' }).catch(async () => assert.match((await this.text(id)) ?? '', wanted));
  }

  stored(): Promise<readonly string[]> {
    return this.page.evaluate(`Object.keys(localStorage).filter((name) => name.startsWith('payment '))`);
  }
}
