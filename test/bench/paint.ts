import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../browser/chromium.ts';
import { sizes } from '../browser/screen-page.ts';
import type { BenchStage } from './bench-stage.ts';
import { median, percentile } from './percentiles.ts';
import { atMost, type Report, skipped } from './report.ts';

const title = 'First contentful paint over loopback, ms';
/** What somebody who looks takes for at once. */
const targetMs = 300;
/** The least that a browser can paint. */
const leastPage = '<!doctype html><html lang="en"><title>least</title><p>least</p></html>';

interface Painted {
  readonly name: string;
  readonly url: string;
  readonly size: keyof typeof sizes;
  readonly times: number[];
}

/** From the navigation to the first content (Paint Timing, 4), in turn, each in a browser context that has nothing cached. */
export async function paint(stage: BenchStage, rounds: number): Promise<Report> {
  const browser = await launchChromium().catch((error: Error) => error.message.split('\n')[0] ?? '');
  if (typeof browser === 'string') return skipped('paint', title, `Chromium does not start: ${browser}`);
  const least = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(leastPage);
  }).listen(0, '127.0.0.1');
  try {
    await once(least, 'listening');
    const { configuration, url } = await stage.simulator();
    const { screen } = await stage.daemon({ configuration, stateDir: stage.fresh('state') });
    const floor = page('a page of one word', `http://127.0.0.1:${(least.address() as AddressInfo).port}`, 'handheld');
    const own = [
      page('the terminal’s screen, 480 × 800', screen, 'handheld'),
      page('the terminal’s screen, 1280 × 800', screen, 'counter'),
      page('the simulator’s page, 1280 × 800', new URL('/', url).href, 'counter'),
    ];
    // What a browser does once, at its first page, is nobody's page.
    await paintTime(browser, floor);
    for (let round = 0; round < rounds; round++) {
      for (const each of [floor, ...own]) each.times.push(await paintTime(browser, each));
    }
    return {
      part: 'paint',
      title,
      columns: ['', 'loads', 'p50', 'max'],
      rows: [floor, ...own].map(({ name, times }) => [name, times.length, median(times), percentile(times, 1)]),
      checks: own.map(({ name, times }) =>
        atMost(name, median(times), targetMs, { unit: 'ms', spread: [Math.min(...times), Math.max(...times)] }),
      ),
      notes: [`Chromium ${browser.version()}, headless and without a graphics processor`],
    };
  } finally {
    await browser.close();
    least.close();
  }
}

function page(name: string, url: string, size: Painted['size']): Painted {
  return { name, url, size, times: [] };
}

async function paintTime(browser: Browser, { url, size }: Painted): Promise<number> {
  const context = await browser.newContext({ viewport: sizes[size] });
  try {
    const shown = await context.newPage();
    await shown.goto(url);
    return (await shown.evaluate(`new Promise((resolve) => {
      new PerformanceObserver((list) => {
        for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime);
      }).observe({ type: 'paint', buffered: true });
    })`)) as number;
  } finally {
    await context.close();
  }
}
