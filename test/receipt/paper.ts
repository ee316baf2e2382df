import assert from 'node:assert/strict';
import { TextDecoder } from 'node:util';

export interface PaperLine {
  /** Bytes of text, as code page 437 reads them in the ASCII half; others as they are (latin1); Chinese as itself. */
  readonly text: string;
  /** Cells that the line takes on paper. */
  readonly cells: number;
  readonly bold: boolean;
}

export interface PaperImage {
  readonly widthBytes: number;
  readonly height: number;
  readonly data: Uint8Array;
  /** Lines of text above it. */
  readonly after: number;
}

export interface ReadPaper {
  readonly lines: readonly PaperLine[];
  readonly images: readonly PaperImage[];
  readonly cuts: number;
}

/**
 * Reads a print job as a printer would, and knows only the commands that a receipt may hold. Anything else, above all a
 * control byte inside text, or a real-time command anywhere, fails the test.
 */
export function paperOf(job: Uint8Array, charset?: 'big5' | 'gb18030'): ReadPaper {
  const lines: PaperLine[] = [];
  const images: PaperImage[] = [];
  let cuts = 0;
  let scale = 1;
  let bold = false;
  let chinese = false;
  let line = { text: '', cells: 0, bold: false };
  const put = (text: string, cells: number): void => {
    line = { text: line.text + text, cells: line.cells + cells * scale, bold: line.bold || bold };
  };
  const all = Buffer.from(job);
  for (const second of [0x04, 0x05, 0x14]) {
    assert.equal(all.indexOf(Buffer.of(0x10, second)), -1, `a real-time command, DLE ${second}`);
  }
  for (let at = 0; at < job.length; ) {
    const rest = all.subarray(at, at + 3);
    const [first = 0, second, value = 0] = rest;
    if (chinese && first >= 0x80) {
      assert.ok(charset, 'Chinese characters for a printer that has none');
      put(new TextDecoder(charset, { fatal: true }).decode(rest.subarray(0, 2)), 2);
      at += 2;
    } else if (first >= 0x20 && first !== 0x7f) {
      put(rest.toString('latin1', 0, 1), 1);
      at += 1;
    } else if (first === 0x0a) {
      assert.equal(chinese, false, 'Chinese mode ends with its line');
      lines.push(line);
      line = { text: '', cells: 0, bold: false };
      at += 1;
    } else if (first === 0x1b && second === 0x40) {
      assert.equal(at, 0, 'ESC @ only at the beginning');
      at += 2;
    } else if (first === 0x1c && (second === 0x26 || second === 0x2e)) {
      chinese = second === 0x26;
      at += 2;
    } else if (first === 0x1b && (second === 0x4d || second === 0x74)) {
      assert.equal(value, 0, 'font A and code page 437 only');
      at += 3;
    } else if (first === 0x1b && second === 0x45) {
      bold = value === 1;
      at += 3;
    } else if (first === 0x1d && second === 0x21) {
      scale = value === 0x11 ? 2 : 1;
      at += 3;
    } else if (first === 0x1d && second === 0x76) {
      assert.equal(line.text, '', 'a picture only at the beginning of a line');
      assert.equal(all.readUInt16BE(at + 2), 0x3000, 'GS v 0, every dot one dot');
      const [widthBytes, height] = [all.readUInt16LE(at + 4), all.readUInt16LE(at + 6)];
      assert.ok(widthBytes > 0 && height > 0 && at + 8 + widthBytes * height <= all.length);
      images.push({
        widthBytes,
        height,
        data: all.subarray(at + 8, at + 8 + widthBytes * height),
        after: lines.length,
      });
      at += 8 + widthBytes * height;
    } else if (first === 0x1d && second === 0x56) {
      cuts++;
      at += 3;
    } else {
      assert.fail(`unexpected bytes ${rest.toString('hex')} at ${at}`);
    }
  }
  return { lines, images, cuts };
}
