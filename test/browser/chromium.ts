import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export interface Launching {
  readonly args?: readonly string[];
  /** The home directory, whose certificates it trusts. */
  readonly home?: string;
  /** The browser that people use, which asks them what a page may do. */
  readonly isWhole?: boolean;
}

const whole = '/usr/bin/chromium';
/** The same engine, without what a desktop needs: less than half of the processor's time. */
const headlessShell = '/usr/bin/chromium-headless-shell';

/** Chromium draws anew only what has changed, and leaves other edges each time: a page's picture shall be the same again. */
const wholePicture = '--disable-partial-raster';

/** Debian's chromium, or the one that CHROMIUM names. No sandbox: it sees this machine's own pages only, and CI is root. */
export function launchChromium({ args = [], home, isWhole = false }: Launching = {}): Promise<Browser> {
  const small = !isWhole && existsSync(headlessShell) ? headlessShell : whole;
  const executablePath = process.env['CHROMIUM'] ?? small;
  const env = home === undefined ? {} : { env: { ...process.env, HOME: home } };
  return chromium.launch({ executablePath, headless: true, args: ['--no-sandbox', wholePicture, ...args], ...env });
}
