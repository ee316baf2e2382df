import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { type Json, Stage } from '../e2e/stage.ts';
import { launchChromium } from './chromium.ts';

/** The whole product and a browser, for the tests of one describe. */
export interface Product {
  readonly browser: Browser;
  readonly stage: Stage;
}

/**
 * Starts both before the tests and ends them after; between two tests nothing waits for anybody and the simulator is as new. No
 * outcome goes before it was looked at, and a host may be slow, so that its work can be seen; `configuration` is merged over that,
 * `acquirer` over each acquirer.
 */
export function productOfTests(configuration: Json = {}, acquirer: Json = {}): Product {
  let browser: Browser | undefined;
  let stage: Stage | undefined;
  before(async () => {
    browser = await launchChromium();
    stage = await Stage.open({
      configuration: {
        screen: { outcomeMs: 60_000 },
        ...configuration,
        timeouts: { walletResolveMs: 10_000, ...configuration.timeouts },
      },
      acquirer: { replyTimeoutMs: 10_000, ...acquirer },
    });
  });
  after(async () => {
    await browser?.close();
    await stage?.close();
  });
  afterEach(async () => {
    await stage?.assertDisarmed();
    assert.deepEqual(await stage?.unexpected(), []);
    await stage?.sim('POST', '/api/reset', {});
  });
  return {
    get browser() {
      return browser ?? assert.fail('no browser yet');
    },
    get stage() {
      return stage ?? assert.fail('no stage yet');
    },
  };
}
