import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { PNG } from 'pngjs';
import { readLogos } from '../../src/screen/picture-file.ts';
import { describeWallets } from '../../src/methods/wallet/description.ts';
import { walletProfiles } from '../../src/methods/wallet/settings/profiles.ts';
import { serveScreen } from '../../src/screen/server.ts';
import { ServerEvents } from '../e2e/server-events.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'poid-logos-'));
after(() => rmSync(dir, { recursive: true }));

/** A picture of one colour. */
function png(width: number, height = width): Buffer {
  const picture = new PNG({ width, height });
  picture.data.fill(0x7f);
  return PNG.sync.write(picture);
}

/** What comes of a configured file, by its content; and why it was left out. */
async function read(content: Buffer | undefined): Promise<{ bytes: Uint8Array | undefined; said: string }> {
  const logo = path.join(dir, 'logo.png');
  rmSync(logo, { force: true });
  if (content) writeFileSync(logo, content);
  let said = '';
  const profiles = walletProfiles({ PAYME: { logo } });
  const files = new Map(Object.entries(describeWallets(profiles).logos ?? {}));
  const logos = await readLogos(files, ({ message }) => (said += message));
  return { bytes: logos.get('PAYME'), said };
}

describe('the logo of a wallet', () => {
  test('is taken as it is', async () => {
    for (const content of [png(16), png(512), png(120, 48)]) {
      const { bytes, said } = await read(content);
      assert.deepEqual([bytes, said], [content, '']);
    }
  });

  const damaged = png(64);
  damaged[damaged.length - 20] = (damaged[damaged.length - 20] ?? 0) ^ 0xff;
  const cases: readonly (readonly [what: string, content: Buffer | undefined, why: RegExp])[] = [
    ['a file that is not there', undefined, /ENOENT/],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'), /it is no PNG/],
    ['an empty file', Buffer.alloc(0), /it is no PNG/],
    ['too few dots', png(15), /15 × 15 dots, 16 to 512/],
    ['too many dots', png(16, 513), /16 × 513 dots/],
    ['more than 64 KiB', Buffer.concat([png(64), Buffer.alloc(65_536)]), /bytes, at most 65536/],
    ['a damaged picture', damaged, /its picture is damaged/],
    ['half a picture', png(64).subarray(0, 60), /its picture is damaged/],
  ];
  for (const [what, content, why] of cases) {
    test(`is left out with a reason: ${what}`, async () => {
      const { bytes, said } = await read(content);
      assert.equal(bytes, undefined);
      assert.match(said, /^the logo of PAYME is left out: /);
      assert.match(said, why);
    });
  }

  test('is served by the screen’s own server, and named in a view that offers its wallet', async (t) => {
    const bytes = png(32);
    const screen = await serveScreen(0, new Map([['PAYME', bytes]]));
    t.after(() => screen.close());
    const url = `http://127.0.0.1:${screen.port}`;
    const served = await fetch(`${url}/wallet-logos/PAYME.png`);
    assert.deepEqual([served.status, served.headers.get('content-type')], [200, 'image/png']);
    assert.equal(served.headers.get('x-content-type-options'), 'nosniff');
    assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes);
    for (const name of ['ALIPAY.png', '..%2fserver.ts', 'PAYME']) {
      assert.equal((await fetch(`${url}/wallet-logos/${name}`)).status, 404, name);
    }
    const shown = async (wallets: readonly string[]) => {
      screen.show({ scene: 'presentCode', wallets });
      const events = await ServerEvents.open(`${url}/events`);
      const event = (await events.next()) ?? assert.fail('no view');
      events.close();
      return (JSON.parse(event.data) as { logos?: object }).logos;
    };
    assert.deepEqual(await shown(['ALIPAY', 'PAYME']), { PAYME: '/wallet-logos/PAYME.png' });
    assert.equal(await shown(['ALIPAY', 'constructor']), undefined);
  });
});
