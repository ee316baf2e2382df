import { type Browser, chromium } from 'playwright-core';

/** Debian's chromium, or the one that CHROMIUM names. No sandbox: it sees this machine's own pages only, and CI is root. */
export function launchChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, headless: true, args: ['--no-sandbox'] });
}
