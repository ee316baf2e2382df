import { type Browser, chromium } from 'playwright-core';

export interface Launching {
  readonly args?: readonly string[];
  /** The home directory, whose certificates it trusts. */
  readonly home?: string;
}

/** Debian's chromium, or the one that CHROMIUM names. No sandbox: it sees this machine's own pages only, and CI is root. */
export function launchChromium({ args = [], home }: Launching = {}): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  const env = home === undefined ? {} : { env: { ...process.env, HOME: home } };
  return chromium.launch({ executablePath, headless: true, args: ['--no-sandbox', ...args], ...env });
}
