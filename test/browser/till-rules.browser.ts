import assert from 'node:assert/strict';
import { hash, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { selfSign } from '../../src/base/tls/certificate.ts';
import { Operator, password, poid } from '../e2e/operator.ts';
import { type Json, Stage } from '../e2e/stage.ts';
import { launchChromium } from './chromium.ts';
import { ShopServer, TillPage } from './till-page.ts';
import { trustedHome } from './trusted-home.ts';

/** Both are of the internet: what Chromium asks its user about. */
const names = ['pos.example', 'evil.example'] as const;

/** The address spaces of Chromium: on one machine all would be loopback, for which it asks nobody. */
function placed(shop: number, terminal: number): string[] {
  return [
    `--ip-address-space-overrides=127.0.0.1:${shop}=public,127.0.0.1:${terminal}=local`,
    `--host-resolver-rules=${names.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
  ];
}

/** What a script of the page hears of the terminal: the status of its answer, or the browser's word. */
function asks(page: Page, url: string, how: object = {}): Promise<unknown> {
  const parameters = `${JSON.stringify(url)}, ${JSON.stringify(how)}`;
  return page.evaluate(`fetch(${parameters}).then(({ status, type }) => status || type, (error) => String(error))`);
}

const refused = 'TypeError: Failed to fetch';
const json = { 'content-type': 'application/json' };

let dir: string;
let shop: ShopServer;
const certificate = selfSign(names);
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-rules-'));
  shop = await ShopServer.open(dir, certificate);
});
after(async () => {
  shop.close();
  await rm(dir, { recursive: true });
});
const originOf = (name: (typeof names)[number]) => `https://${name}:${shop.port}`;

describe('a till of the internet, on HTTPS, paired', () => {
  let stage: Stage;
  let browser: Browser;
  let url: string;
  let terminal: string;
  before(async () => {
    const http = { tls: true, origins: [originOf('pos.example')] };
    stage = await Stage.open({ configuration: { http, pairing: { required: true } } });
    assert.equal((await poid(stage, ['operator-password'], password)).code, 0);
    url = stage.apiUrl.replace('http:', 'https:');
    const pem = await readFile(path.join(stage.stateDir, 'tls.pem'), 'utf8');
    terminal = pem.slice(pem.indexOf('-----BEGIN CERT'));
    browser = await launch(trustedHome(dir, certificate.cert, terminal));
  });
  after(async () => {
    await browser?.close();
    await stage?.close();
  });

  function launch(home: string, ...more: string[]): Promise<Browser> {
    return launchChromium({ isWhole: true, home, args: [...placed(shop.port, Number(new URL(url).port)), ...more] });
  }

  async function opened(from: Browser, isAllowed: boolean): Promise<Page> {
    const context = await from.newContext();
    if (isAllowed) await context.grantPermissions(['local-network-access'], { origin: originOf('pos.example') });
    const page = await context.newPage();
    await page.goto(originOf('pos.example'));
    return page;
  }

  test('reaches the terminal once its user has allowed the local network, and not before', async () => {
    const reported: string[] = [];
    const before = await opened(browser, false);
    before.on('console', (message) => reported.push(message.text()));
    assert.equal(await asks(before, `${url}/openapi.json`), refused);
    assert.match(reported.join(), /Permission was denied for this request to access the `local` address space/);
    assert.equal(await asks(await opened(browser, true), `${url}/openapi.json`), 200);
  });

  test('needs the terminal’s certificate: trusted, or pinned by the key that the status tells', async (t) => {
    const stranger = await launch(trustedHome(dir, certificate.cert));
    t.after(() => stranger.close());
    const page = await opened(stranger, true);
    const failed = page.waitForEvent('requestfailed');
    assert.equal(await asks(page, `${url}/openapi.json`), refused);
    assert.equal((await failed).failure()?.errorText, 'net::ERR_CERT_AUTHORITY_INVALID');

    const key = new X509Certificate(terminal).publicKey.export({ type: 'spki', format: 'der' });
    const pin = hash('sha256', key, 'base64');
    const pinning = await launch(trustedHome(dir, certificate.cert), `--ignore-certificate-errors-spki-list=${pin}`);
    t.after(() => pinning.close());
    assert.equal(await asks(await opened(pinning, true), `${url}/openapi.json`), 200);
  });

  test('pairs, keeps a key that no script can read, and pays with signed calls', async () => {
    const context = await browser.newContext();
    await context.grantPermissions(['local-network-access'], { origin: originOf('pos.example') });
    const till = await TillPage.open(context, originOf('pos.example'), url);
    assert.equal(await asks(till.page, `${url}/sp/v1/status`), 401);

    const operator = new Operator(stage);
    await operator.login();
    await operator.does({ kind: 'pair' });
    await till.press('pair');
    const { pairing } = await operator.sees((view) => view.pairing?.stage === 'compare');
    assert.equal(pairing.posId, 'WEB-1');
    await till.page.fill('#digits', pairing.code);
    await till.press('typed');
    await till.reads('paired', /press Yes/);
    await operator.does({ kind: 'decide', yes: true, code: pairing.code });
    await till.reads('paired', /calls are signed/);

    // Also after the page was loaded again: the key is in the browser.
    await till.page.reload();
    await till.reads('paired', /calls are signed/);
    await till.press('pay');
    await till.reads('step', /choosingMethod|presentingCard/);
    await stage.tap('visa');
    await till.reads('outcome', /^Paid: 30 HKD by VISA$/);

    const kept = await till.page.evaluate(`new Promise((resolve) => {
      const opening = indexedDB.open('till');
      opening.onsuccess = () => {
        const getting = opening.result.transaction('keys').objectStore('keys').get('key');
        getting.onsuccess = async () => {
          const { key } = getting.result;
          const read = await crypto.subtle.exportKey('raw', key).then(() => 'read', ({ name }) => name);
          resolve([key.extractable, key.usages.join(), read]);
        };
      };
    })`);
    assert.deepEqual(kept, [false, 'sign', 'InvalidAccessError']);
    const [{ key: secret }] = JSON.parse(await readFile(path.join(stage.stateDir, 'pairings.json'), 'utf8'));
    assert.ok(!JSON.stringify(await till.page.evaluate('({ ...localStorage })')).includes(secret));
    assert.deepEqual(till.complaints, []);
    assert.deepEqual(await stage.unexpected(), []);
  });
});

describe('a terminal without HTTPS and pairing', () => {
  let stage: Stage;
  let browser: Browser;
  before(async () => {
    stage = await Stage.open({ configuration: { http: { origins: [originOf('pos.example')] } } });
    const home = trustedHome(dir, certificate.cert);
    browser = await launchChromium({
      isWhole: true,
      home,
      args: placed(shop.port, Number(new URL(stage.apiUrl).port)),
    });
  });
  after(async () => {
    await browser?.close();
    await stage?.close();
  });
  afterEach(async () => {
    await stage.assertDisarmed();
    const listed = await fetch(`${stage.apiUrl}/sp/v1/transactions`);
    assert.deepEqual(((await listed.json()) as Json).transactions, [], 'nothing was started');
    assert.deepEqual(await stage.unexpected(), []);
  });

  async function opened(name: (typeof names)[number]): Promise<Page> {
    const context = await browser.newContext();
    // Its user presses Allow on anything.
    await context.grantPermissions(['local-network-access'], { origin: originOf(name) });
    const page = await context.newPage();
    await page.goto(originOf(name));
    return page;
  }

  test('is called from the HTTPS page of a configured origin all the same, where its address is a private one', async () => {
    const page = await opened('pos.example');
    assert.equal(await asks(page, `${stage.apiUrl}/sp/v1/status`), 200);
    const post = { method: 'POST', body: '{}', headers: json };
    assert.equal(await asks(page, `${stage.apiUrl}/sp/v1/enquiry`, post), 400);
  });

  test('starts nothing and tells nothing for the page of another origin', async () => {
    const page = await opened('evil.example');
    const sale = JSON.stringify(stage.saleRequest());
    for (const call of ['payment', 'settlement', 'cancel', 'receipt', 'enquiry', 'pairing', 'pairing/reveal']) {
      const post = { method: 'POST', body: sale };
      const at = `${stage.apiUrl}/sp/v1/${call}`;
      assert.equal(await asks(page, at, { ...post, headers: json }), refused, call);
      assert.equal(await asks(page, at, post), refused, call);
      // It goes out without a preflight; the page hears nothing of the answer.
      assert.equal(await asks(page, at, { ...post, mode: 'no-cors' }), 'opaque', call);
      assert.equal(await page.evaluate(`navigator.sendBeacon(${JSON.stringify(at)}, ${JSON.stringify(sale)})`), true);
    }
    for (const path of ['/sp/v1/transactions', '/sp/v1/status', '/sp/v1/report', '/sp/v1/events', '/openapi.json'])
      assert.equal(await asks(page, stage.apiUrl + path), refused, path);
    const load = (tag: string, path: string) =>
      page.evaluate(`new Promise((resolve) => {
        const element = Object.assign(document.createElement('${tag}'), { src: '${stage.apiUrl}${path}' });
        element.onload = () => resolve('loaded');
        element.onerror = () => resolve('refused');
        document.documentElement.append(element);
      })`);
    assert.equal(await load('script', '/client.js'), 'refused');
    assert.equal(await load('img', '/docs'), 'refused');
    assert.equal(await page.evaluate(`import('${stage.apiUrl}/client.js').catch(() => 'refused')`), 'refused');
  });

  test('refuses the form of another page, also as the page that comes next', async () => {
    const page = await opened('evil.example');
    const answered = page.waitForResponse((response) => response.url().endsWith('/sp/v1/payment'));
    await page.evaluate(`{
      document.body.innerHTML = '<form method="post" enctype="text/plain" action="${stage.apiUrl}/sp/v1/payment"><input></form>';
      const [form] = document.forms;
      form[0].name = ${JSON.stringify(JSON.stringify(stage.saleRequest()).slice(0, -1))} + ',"x":"';
      form[0].value = '"}';
      form.submit();
    }`);
    assert.equal((await answered).status(), 403);
  });

  test('refuses a name that leads to it and is not its own (DNS rebinding)', async () => {
    const page = await (await browser.newContext()).newPage();
    const rebound = `http://evil.example:${new URL(stage.apiUrl).port}`;
    const response = await page.goto(`${rebound}/sp/v1/status`);
    assert.equal(response?.status(), 403);
    assert.match((await response?.text()) ?? '', /hostNotAllowed/);
    // The page now has the terminal's own origin, by the browser's reckoning.
    const sale = { method: 'POST', body: JSON.stringify(stage.saleRequest()), headers: json };
    assert.equal(await asks(page, `${rebound}/sp/v1/payment`, sale), 403);
    assert.equal(await asks(page, `${rebound}/sp/v1/transactions`), 403);
  });
});
