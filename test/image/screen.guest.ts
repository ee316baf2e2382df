import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { FlashedTerminal } from './machine/flashed.ts';
import { versions } from './machine/images.ts';
import { Picture } from './machine/picture.ts';

/** Of the page's style sheet: what is behind all else. */
const paper = '#f3f6fa';
/** What the emulated display has. */
const [width, height] = [1280, 800];
const starts = Number(process.env['POID_IMAGE_STARTS'] ?? '1');

let terminal: FlashedTerminal;
before(async () => {
  terminal = new FlashedTerminal();
  await terminal.start({ hasDisplay: true });
});
after(() => terminal.remove());

/** Resolves once the display has the page, with all that it should. */
async function seePage(t: TestContext): Promise<void> {
  const picture = await terminal.until('the page is drawn', async () => {
    const now = new Picture(await terminal.picture());
    // Letters have edges of many colours.
    return now.at(8, 8) === paper && now.colours > 40 ? now : undefined;
  });
  t.diagnostic(`from power to the page: ${terminal.guest.cpuSeconds().toFixed(0)} s of the emulated processor`);
  assert.deepEqual([picture.width, picture.height], [width, height]);
  assert.deepEqual([picture.at(8, height - 20), picture.at(width - 10, height - 20)], [paper, paper]);
  assert.ok(picture.count(paper) > 0.4 * width * height, 'most of it is empty');
}

test('a terminal that is provisioned: its display shows the page by itself', async (t) => {
  await terminal.judged(versions.first);
  await terminal.shop.provision();
  await seePage(t);
});

for (let each = 1; each <= starts; each += 1) {
  test(`after a cold start, ${each} of ${starts}: the display shows the page`, async (t) => {
    await terminal.cut();
    await terminal.start({ hasDisplay: true });
    await seePage(t);
  });
}
