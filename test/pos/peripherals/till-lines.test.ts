import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { layOutTillLines, type TillLine, type TillPaperOptions } from '../../../src/pos/peripherals/till-lines.ts';
import type { Sheet } from '../../../src/base/ports/receipt-printer.ts';
import { receiptText } from '../../../src/receipt/line.ts';

const at = new Date('2026-11-23T04:05:06Z');

function laidOut(lines: readonly TillLine[], more: Partial<TillPaperOptions> = {}) {
  const options: TillPaperOptions = {
    columns: 32,
    language: 'en',
    timeZone: 'Asia/Hong_Kong',
    logo: '',
    cardNumbers: 'refuse',
    onFailure: assert.ifError,
    ...more,
  };
  return layOutTillLines(lines, { posId: 'POS-1', at }, options);
}

async function sheets(lines: readonly TillLine[], more: Partial<TillPaperOptions> = {}): Promise<string[][]> {
  const made = await laidOut(lines, more);
  assert.ok(!('reason' in made), JSON.stringify(made));
  return made.map((sheet: Sheet) =>
    receiptText(sheet, more.columns ?? 32)
      .trimEnd()
      .split('\n'),
  );
}

async function refused(lines: readonly TillLine[], more: Partial<TillPaperOptions> = {}) {
  const made = await laidOut(lines, more);
  return 'reason' in made ? [made.reason, made.pointer] : assert.fail('it was laid out');
}

const text = (of: string): TillLine => ({ type: 'text', text: of });
const rule = '-'.repeat(32);

function png(width: number, height: number): string {
  return `data:image/png;base64,${PNG.sync.write(new PNG({ width, height })).toString('base64')}`;
}

test('each piece of paper begins and ends with the terminal’s own lines', async () => {
  assert.deepEqual(
    await sheets([text('APPROVED'), { type: 'cut' }, { type: 'cut' }, text('Second'), { type: 'cut' }]),
    [
      [
        '      FROM THE TILL POS-1',
        rule,
        'APPROVED',
        rule,
        '       NOT A PAYMENT SLIP',
        '2026-11-23              12:05:06',
      ],
      [
        '      FROM THE TILL POS-1',
        rule,
        'Second',
        rule,
        '       NOT A PAYMENT SLIP',
        '2026-11-23              12:05:06',
      ],
    ],
  );
  const [[first, , , , last] = []] = await sheets([text('x')], { language: 'zh-Hant' });
  assert.deepEqual([first?.trim(), last?.trim()], ['收銀機列印 POS-1', '並非付款單據']);
});

test('columns, alignment and the till’s own spaces; what is too long is wrapped, nothing is lost', async () => {
  const [lines = []] = await sheets([
    text('  1  Milk tea'),
    { type: 'text', text: 'right', align: 'right' },
    { type: 'columns', left: '2 x 凍檸茶', right: '44.00', bold: true },
    { type: 'columns', left: 'A name that fills the line by itself', right: '1,000.00' },
    { type: 'text', text: 'TOTAL 1044.00', size: 'double' },
    text(''),
    { type: 'rule' },
  ]);
  assert.deepEqual(lines.slice(2, -3), [
    '  1  Milk tea',
    `${' '.repeat(27)}right`,
    '2 x 凍檸茶                 44.00',
    'A name that fills the line by',
    'itself',
    `${' '.repeat(24)}1,000.00`,
    'TOTAL 1044.00',
    '',
    rule,
  ]);
});

test('a card number that is divided between lines of two columns is not printed', async () => {
  const columns = (left: string, right: string): TillLine => ({ type: 'columns', left, right });
  for (const lines of [
    [columns('4111 1111', 'Table'), columns('1111 1111', 'four')],
    [columns('Table', '4111 1111'), columns('four', '1111 1111')],
    [columns('4111', '1111'), columns('1111', '1111')],
  ]) {
    assert.deepEqual(await refused([text('x'), ...lines]), ['cardNumberNotAllowed', '/lines/1']);
  }
});

test('a card number is not printed, unless the configuration says so; article and order numbers are', async () => {
  const visa = '4761739001010119';
  for (const shown of [
    visa,
    `Card: ${visa}.`,
    '4761 7390 0101 0119 12/26',
    '4761-7390-0101-0119',
    '３７４２４５４５５４００１２６',
  ])
    assert.deepEqual(await refused([text('x'), text(shown)]), ['cardNumberNotAllowed', '/lines/1/text'], shown);
  assert.deepEqual(await refused([{ type: 'columns', left: '4761 7390', right: '0101 0119' }]), [
    'cardNumberNotAllowed',
    '/lines/0',
  ]);
  // Divided between lines of text, and in a QR code.
  assert.deepEqual(await refused([text('Card'), text('4761 7390'), text('0101 0119')]), [
    'cardNumberNotAllowed',
    '/lines/0/text',
  ]);
  await sheets([text('4761 7390'), { type: 'rule' }, text('0101 0119')]);
  assert.deepEqual(await refused([{ type: 'qr', text: `M:${visa}` }]), ['cardNumberNotAllowed', '/lines/0/text']);
  await sheets([text(visa)], { cardNumbers: 'print' });
  for (const harmless of [
    '4890008100309',
    '****0119',
    'ORDER 20261123-000815-000001',
    '4761739001010118',
    '+852 2345 6789',
  ])
    await sheets([text(harmless)]);
});

test('a picture is printed as wide as the paper at most; one that can’t be is refused', async () => {
  const [sheet] = (await laidOut([{ type: 'picture', png: png(500, 100) }])) as readonly Sheet[];
  const [picture] = sheet?.filter((line) => line.kind === 'picture') ?? [];
  assert.deepEqual([picture?.dots.width, picture?.dots.height], [384, 76]);
  const broken = png(10, 10).slice(0, 60);
  for (const source of [png(1_000, 201), `data:image/png;base64,${'QUJD'.repeat(20)}`, broken])
    assert.deepEqual(await refused([{ type: 'picture', png: source }]), ['pictureNotPossible', '/lines/0/png']);
  assert.deepEqual(await refused([{ type: 'logo' }]), ['pictureNotPossible', '/lines/0/type']);
  const [withLogo] = (await laidOut([{ type: 'logo' }], { logo: png(20, 10) })) as readonly Sheet[];
  assert.ok(withLogo?.some((line) => line.kind === 'picture' && line.dots.width === 20));
});

/** A PNG of these bytes as its rows. `more`: chunks before its data. */
function packed(
  [width, height, depth, colour, interlacing = 0]: readonly number[],
  rows: Uint8Array,
  ...more: readonly (readonly [string, Uint8Array])[]
) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width ?? 0, 0);
  header.writeUInt32BE(height ?? 0, 4);
  header.set([depth ?? 0, colour ?? 0, 0, 0, interlacing], 8);
  const chunks = ([['IHDR', header], ...more, ['IDAT', deflateSync(rows)], ['IEND', Buffer.alloc(0)]] as const).map(
    ([type, content]) => {
      const body = Buffer.concat([Buffer.from(type), content]);
      const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
      length.writeUInt32BE(content.length);
      check.writeUInt32BE(crc32(body));
      return Buffer.concat([length, body, check]);
    },
  );
  const bytes = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}

test('a small picture that unpacks to much is refused, and takes neither memory nor time', async () => {
  const rows = (bytes: number) => Buffer.alloc(bytes);
  const second = Buffer.alloc(13);
  second.writeUInt32BE(40_000, 0);
  second.writeUInt32BE(40_000, 4);
  second.set([1, 0, 0, 0, 1], 8);
  const bombs = {
    'of 4000 × 4000 dots': packed([4_000, 4_000, 1, 0], rows(501 * 4_000)),
    'of 30000 × 30000 dots, cut off': packed([30_000, 30_000, 1, 0], rows(3_751 * 300)),
    'of 576 × 65535 dots': packed([576, 65_535, 1, 0], rows(73 * 65_535)),
    'of 1000 × 1000 dots of 64 bits': packed([1_000, 1_000, 16, 6], rows(8_001 * 1_000)),
    'interlaced, of 3000 × 3000 dots': packed([3_000, 3_000, 1, 0, 1], rows(1_200_000)),
    'with 40 MB of data': packed([8, 8, 1, 0], rows(40_000_000)),
    'of no dots': packed([0, 0, 1, 0], rows(0)),
    'of 2^31 - 1 dots in a row': packed([0x7fffffff, 1, 1, 0], rows(1)),
    'without its palette': packed([8, 8, 8, 3], rows(72)),
    'with a second, larger header': packed([8, 8, 1, 0], rows(50_010), ['IHDR', second]),
  };
  const zipped = Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(30_000_000, 'x'))]);
  const before = process.memoryUsage().rss;
  const begunMs = performance.now();
  for (const [what, source] of Object.entries(bombs)) {
    assert.ok(source.length < 65_536, what);
    const answer = await refused([{ type: 'picture', png: source }]);
    assert.deepEqual(answer, ['pictureNotPossible', '/lines/0/png'], what);
  }
  // A text that unpacks to 30 MB is passed over.
  await sheets([{ type: 'picture', png: packed([8, 8, 1, 0], rows(16), ['zTXt', zipped]) }]);
  assert.ok(performance.now() - begunMs < 5_000);
  assert.ok(process.memoryUsage().rss - before < 64 * 1024 * 1024);
});

test('a QR code fits the narrowest paper, however long its text', async () => {
  for (const content of ['A', '文'.repeat(170), 'x'.repeat(512)]) {
    const [sheet] = (await laidOut([{ type: 'qr', text: content }])) as readonly Sheet[];
    const code = sheet?.find((line) => line.kind === 'picture');
    assert.ok(code && code.dots.width <= 384, String(code?.dots.width));
  }
});

test('a job is at most 400 mm of paper, its own lines included; and there must be something', async () => {
  await sheets(Array.from({ length: 101 }, () => text('x')));
  assert.deepEqual(await refused(Array.from({ length: 102 }, () => text('x'))), ['printTooLong', '/lines']);
  assert.deepEqual(await refused(Array.from({ length: 57 }, () => ({ ...text('x'), size: 'double' }) as TillLine)), [
    'printTooLong',
    '/lines',
  ]);
  assert.deepEqual(await refused([{ type: 'cut' }]), ['fieldInvalid', '/lines']);
});

/** The rounds of the event loop until a job is laid out or refused. */
async function rounds(lines: readonly TillLine[]): Promise<number> {
  let count = 0;
  const next = (): NodeJS.Immediate =>
    setImmediate(() => {
      count += 1;
      immediate = next();
    });
  let immediate = next();
  await laidOut(lines);
  clearImmediate(immediate);
  return count;
}

test('other work has its turn after each line, and between two QR codes', async () => {
  const lines = Array.from({ length: 50 }, () => text('4 '.repeat(16)));
  assert.ok((await rounds(lines)) >= 50);
  const codes = Array.from({ length: 4 }, () => ({ type: 'qr', text: 'x' }) as const);
  assert.ok((await rounds(codes)) >= 4);
});

test('a job that is too long is refused by its height, before anything else is done with it', async () => {
  const worst = Array.from({ length: 200 }, () => text('4 '.repeat(128)));
  assert.deepEqual(await refused([...worst, text('4761739001010119')]), ['printTooLong', '/lines']);
  // Eight lines of paper each: 14 of the 200 do not fit.
  assert.ok((await rounds(worst)) < 20);
  const cuts = Array.from({ length: 22 }, () => [{ type: 'rule' }, { type: 'cut' }] as const).flat();
  assert.deepEqual(await refused(cuts), ['printTooLong', '/lines']);
});

test('many lines take as much work as the same lines in several jobs', async () => {
  const work = async (jobs: number, count: number) => {
    const lines = Array.from({ length: count }, () => text('4 '.repeat(16)));
    const before = process.threadCpuUsage();
    for (let job = 0; job < jobs; job++) await laidOut(lines);
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  const [few, many]: [number[], number[]] = [[], []];
  for (let round = 0; round < 5; round++) {
    many.push(await work(5, 100));
    few.push(await work(50, 10));
  }
  // With each line compared to all before it, this would be 10.
  const ratio = Math.min(...many) / Math.min(...few);
  assert.ok(ratio < 3, `${many.join()}; ${few.join()}`);
});
