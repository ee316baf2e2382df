import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { documented, screensPage } from './documented.ts';
import { animated } from './png-chunks.ts';
import { screensDir } from './pictures.ts';

/** `npm run screens`: takes the pictures of docs/screens anew, and writes docs/screens.md and the animation of README. */
const root = fileURLToPath(new URL('../..', import.meta.url));
const kept = mkdtempSync(path.join(tmpdir(), 'poid-screens-'));
const tests = ['screen-layout', 'menu-panels', 'simulator-workbench', 'product-methods'];
const files = tests.map((name) => path.join(root, `test/browser/${name}.browser.ts`));
/** How long each scene of the animation stays, ms. */
const stays: Readonly<Record<string, number>> = { idle: 1_200, presentCard: 1_800, processing: 1_200, approved: 2_500 };

rmSync(screensDir, { recursive: true, force: true });
// Only those tests that draw a picture of the documentation.
const drawing =
  'handheld, en, rich|handheld, en: each|a first approved sale|a reversal on the wire|handheld, en a card is tapped';
const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-timeout=180000', '--test-name-pattern', drawing, ...files],
  { cwd: root, stdio: 'inherit', env: { ...process.env, POID_SCREENS: 'draw', POID_SCREENSHOTS: kept } },
);
const drawn = readdirSync(screensDir);
const missing = [...documented.values()].filter(({ file }) => !drawn.includes(file)).map(({ file }) => file);
if (missing.length > 0) console.error(`not drawn: ${missing.join(', ')}`);
writeFileSync(path.join(root, 'docs/screens.md'), screensPage());
const frames = readdirSync(kept)
  .filter((name) => name.startsWith('product-tap-handheld-en-'))
  .sort()
  .map((name) => {
    const scene = /^product-tap-handheld-en-\d+-(\w+)/.exec(name)?.[1] ?? '';
    return { png: readFileSync(path.join(kept, name)), ms: stays[scene] ?? 1_000 };
  });
writeFileSync(path.join(screensDir, 'sale.png'), animated(frames));
rmSync(kept, { recursive: true });
process.exitCode = missing.length > 0 ? 1 : (status ?? 1);
