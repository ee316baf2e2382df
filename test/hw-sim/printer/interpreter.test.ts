import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnsOf } from '../../../hw-sim/printer/glyphs.ts';
import { Interpreter } from '../../../hw-sim/printer/interpreter.ts';
import { CommandStream } from '../../../hw-sim/printer/command-stream.ts';
import { Paper, type Style } from '../../../hw-sim/printer/paper.ts';
import { Wire } from './wire.ts';

const plain: Style = { font: 'A', bold: false, underline: false, inverted: false, widthScale: 1, heightScale: 1 };

/** Each character of the first line that was printed, with what is not plain about it. */
function styles(wire: Wire): [string, Partial<Style>][] {
  const line = wire.printer.paper.items.find((item) => item.kind === 'line');
  assert.ok(line);
  return line.characters.map(({ character, style }) => [
    character,
    Object.fromEntries(Object.entries(style).filter(([key, value]) => plain[key as keyof Style] !== value)),
  ]);
}

function textOf(hex: string): string {
  const wire = new Wire();
  wire.send(hex);
  assert.deepEqual(wire.printer.unexpected, []);
  return wire.printer.paper.text();
}

describe('text', () => {
  it('prints at a line feed, and takes LF CR for one line end', () => {
    assert.equal(textOf('48 69 0a 0d 48 6f 0a 0d 21'), 'Hi\nHo\n');
  });

  it('reads code page 437', () => {
    assert.equal(textOf('1b7400 82 9c c4 cd f8 0a'), 'é£─═°\n');
  });

  it('reads Windows 1252 as page 16', () => {
    assert.equal(textOf('1b7410 a3 e9 80 0a'), '£é€\n');
  });

  it('shows U+FFFD for a code page that it does not have, and records it', () => {
    const wire = new Wire();
    wire.send('1b74ff 41 82 0a');
    assert.equal(wire.printer.paper.text(), 'A\ufffd\n');
    assert.equal(wire.printer.unexpected[0]?.hex, '1b74ff');
  });

  it('reads Big5 between FS & and FS ., also cut between the two bytes', () => {
    const wire = new Wire();
    wire.send('1c26 c1', '60 ad70 20 41 1c2e 82 0a');
    assert.equal(wire.printer.paper.text(), '總計 Aé\n');
    assert.equal(columnsOf('總'), 2);
  });

  it('reads GB18030 where the printer has that ROM', () => {
    const paper = new Paper();
    const interpreter = new Interpreter(
      {
        print: (item) => paper.add(item),
        kickDrawer: () => assert.fail('no drawer'),
        reportChanges: () => assert.fail('no status'),
        unexpected: (_, why) => assert.fail(why),
      },
      'gb18030',
    );
    for (const command of new CommandStream().push(Buffer.from('1c26bf82d38b1c2e0a', 'hex'))) {
      interpreter.execute(command);
    }
    assert.equal(paper.text(), '總計\n');
  });

  it('goes on in the next line after 48 columns, 24 of double width, 64 of font B', () => {
    const wire = new Wire();
    wire.print(`${'x'.repeat(49)}\n`);
    wire.send('1d2110');
    wire.print(`${'y'.repeat(25)}\n`);
    wire.send('1d2100 1b4d01');
    wire.print(`${'z'.repeat(65)}\n`);
    const lengths = wire.printer.paper
      .text()
      .split('\n')
      .map((line) => line.length);
    assert.deepEqual(lengths, [48, 1, 24, 1, 64, 1, 0]);
  });

  it('fills up to the next eighth column at a tab', () => {
    assert.equal(textOf('41 42 43 09 44 09 0a'), 'ABC     D\n');
  });
});

describe('modes', () => {
  it('knows bold, underline, inverse, size and font', () => {
    const wire = new Wire();
    wire.send('1b4501 61 1b4500 1b2d01 62 1b2d00 1d4201 63 1d4200 1d2111 64 1d2100 1b4d01 65 1b4d00 66 0a');
    assert.deepEqual(styles(wire), [
      ['a', { bold: true }],
      ['b', { underline: true }],
      ['c', { inverted: true }],
      ['d', { widthScale: 2, heightScale: 2 }],
      ['e', { font: 'B' }],
      ['f', {}],
    ]);
  });

  it('knows the print mode byte', () => {
    const wire = new Wire();
    wire.send('1b21b9 61 1b2100 62 0a');
    assert.deepEqual(styles(wire), [
      ['a', { font: 'B', bold: true, heightScale: 2, widthScale: 2, underline: true }],
      ['b', {}],
    ]);
  });

  it('aligns by the width of what is printed', () => {
    assert.equal(
      textOf('1b6101 41 42 0a 1b6102 41 42 0a 1b6100 41 42 0a'),
      `${' '.repeat(23)}AB\n${' '.repeat(46)}AB\nAB\n`,
    );
    assert.equal(textOf('1b6132 1d2110 41 42 0a'), `${' '.repeat(44)}AB\n`);
  });

  it('forgets them, and the unfinished line, at ESC @', () => {
    const wire = new Wire();
    wire.send('1b6102 1b4501 1b74ff 78 1b40 82 0a');
    assert.equal(wire.printer.paper.text(), 'é\n');
    assert.deepEqual(styles(wire), [['é', {}]]);
  });
});

describe('feed, cut and drawer', () => {
  it('feeds n lines', () => {
    assert.equal(textOf('41 1b6403 42 0a'), 'A\n\n\nB\n');
  });

  it('cuts in every published way', () => {
    assert.equal(textOf('1d5600'), '[cut]\n');
    assert.equal(textOf('1d5601'), '[partial cut]\n');
    assert.equal(textOf('1d564130 1d564200'), '\n[cut]\n[partial cut]\n');
  });

  it('kicks the drawer on both connectors', () => {
    const wire = new Wire();
    wire.send('1b70 00 32 fa 1b70 01 32 fa');
    assert.equal(wire.printer.state().drawerKicks, 2);
    assert.deepEqual(wire.printer.unexpected, []);
  });
});

describe('images and codes', () => {
  it('prints a raster image dot by dot', () => {
    const wire = new Wire();
    wire.send('1d7630 00 0200 0200 8001 00ff');
    const [item] = wire.printer.paper.items;
    assert.ok(item?.kind === 'image');
    assert.deepEqual([item.image.width, item.image.height], [16, 2]);
    assert.equal([...item.image.dots].join(''), '10000000000000010000000011111111');
  });

  it('doubles width and height by the mode of GS v 0', () => {
    assert.equal(textOf('1d7630 03 0100 0100 ff'), '[image 16x2]\n');
  });

  it('records the text of a QR code', () => {
    const stored = '1d286b0400314132001d286b03003143061d286b03003145311d286b06003150304142431d286b0300315130';
    assert.equal(textOf(`1b6101 ${stored}`), `${' '.repeat(18)}[QR ABC]\n`);
  });
});

describe('what the printer does not know', () => {
  for (const [hex, rest] of [
    ['1b7a', 'a command'],
    ['1d6b', 'a bar code'],
    ['07', 'a control character'],
    ['1b2d05', 'a value'],
    ['1d2188', 'a size of nine'],
    ['1b6103', 'an alignment'],
    ['1d5603', 'a cut'],
    ['1b70053232', 'a drawer'],
    ['1d287a0200aabb', 'a function of GS ('],
    ['1d286b0300315130', 'a QR code that was not stored'],
    ['1d763000ffffffff', 'an image larger than any memory'],
  ] as const) {
    it(`records ${rest}: ${hex}`, () => {
      const wire = new Wire();
      wire.send(`1b40 ${hex}`);
      assert.equal(wire.printer.unexpected.length >= 1, true);
      const recorded = wire.printer.unexpected[0]?.hex ?? '';
      assert.notEqual(recorded, '');
      assert.equal(hex.startsWith(recorded), true);
    });
  }

  it('ignores, and records, what counts at the beginning of a line only', () => {
    const wire = new Wire();
    wire.send('41 1b6102 1d5600 1d7630 00 0100 0100 ff 42 0a');
    assert.equal(wire.printer.paper.text(), 'AB\n');
    assert.deepEqual(
      wire.printer.unexpected.map(({ hex }) => hex),
      ['1b6102', '1d5600', '1d76300001000100ff'],
    );
  });

  it('keeps a bounded record', () => {
    const wire = new Wire();
    wire.send('07'.repeat(1000));
    assert.equal(wire.printer.unexpected.length, 200);
  });
});

describe('a stream in pieces', () => {
  const job =
    '1b40 1b6101 1b4501 1d2111 48 65 0a0d 1d2100 1b4500 1b6100 c4c4 0a 1d286b06003150304142431d286b0300315130' +
    '1d7630 00 0100 0200 a5 5a 1c26 c160 1c2e 0a 1b7000 32fa 1d564130';
  const bytes = Buffer.from(job.replaceAll(' ', ''), 'hex');

  function printed(...chunks: Buffer[]): unknown {
    const wire = new Wire();
    for (const chunk of chunks) wire.send(chunk.toString('hex'));
    assert.deepEqual(wire.printer.unexpected, []);
    return [wire.printer.paper.items, wire.printer.state().drawerKicks];
  }

  it('means the same wherever it is cut', () => {
    const whole = printed(bytes);
    for (let at = 1; at < bytes.length; at++) {
      assert.deepEqual(printed(bytes.subarray(0, at), bytes.subarray(at)), whole, `cut at ${at}`);
    }
    assert.deepEqual(printed(...Array.from(bytes, (byte) => Buffer.of(byte))), whole);
  });
});
