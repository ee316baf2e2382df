import { TextDecoder } from 'node:util';
import { Bitmap } from './bitmap.ts';
import { characterOf, type CodePage, codePages } from './code-page.ts';
import type { Command } from './command-stream.ts';
import { cellSize } from './glyphs.ts';
import { type Align, type PaperItem, paperWidthDots, type Printed, type Style, widthDots } from './paper.ts';
import { QrSymbol } from './qr-symbol.ts';

/** The parts that commands act on: paper, drawer, status line, and the list of findings. */
export interface Mechanism {
  print(item: PaperItem): void;
  kickDrawer(): void;
  /** GS a: the mask of changes to report. */
  reportChanges(mask: number): void;
  unexpected(bytes: Uint8Array, why: string): void;
}

/** The printer's double-byte ROM; it depends on the model, not on a command. */
export type KanjiRom = 'big5' | 'gb18030';

const plain: Style = { font: 'A', bold: false, underline: false, inverted: false, widthScale: 1, heightScale: 1 };

/** Dots of one line feed: 1/6 inch at 180 dpi (recalled as the usual default). */
const defaultSpacingDots = 30;
const tabColumns = 8;

/** Limit of an image: the rows of the stored paper. */
const imageHeightMax = 10_000;

const alignments: readonly Align[] = ['left', 'center', 'right'];

/** Executes commands as a printer in standard mode: into the line buffer, and onto paper at a line feed. */
export class Interpreter {
  readonly #mechanism: Mechanism;
  readonly #kanjiRom: KanjiRom;
  #style = plain;
  #align: Align = 'left';
  #spacingDots = defaultSpacingDots;
  #codePage: CodePage | undefined = 'cp437';
  #kanji: TextDecoder | undefined;
  #line: Printed[] = [];
  #qr = new QrSymbol();

  constructor(mechanism: Mechanism, kanjiRom: KanjiRom = 'big5') {
    this.#mechanism = mechanism;
    this.#kanjiRom = kanjiRom;
  }

  /** Like ESC @ and power-on: resets modes to their defaults and drops the line buffer. */
  initialise(): void {
    this.#style = plain;
    this.#align = 'left';
    this.#spacingDots = defaultSpacingDots;
    this.#codePage = 'cp437';
    this.#kanji = undefined;
    this.#line = [];
    this.#qr = new QrSymbol();
  }

  execute(command: Command): void {
    const n = command.parameters[0] ?? 0;
    switch (command.name) {
      case 'text':
        return this.#text(command.bytes);
      case 'unknown':
        return this.#refuse(command, 'no command that this printer knows');
      case 'HT':
        return this.#tab();
      case 'LF':
        return this.#feedLine();
      case 'CR':
        return; // Automatic line feed is off: a carriage return does nothing.
      case 'DLE EOT':
        if (n < 1 || n > 4) this.#refuse(command, 'no such status');
        return; // Answered on reception.
      case 'DLE DC4':
        return n === 1 ? this.#mechanism.kickDrawer() : this.#refuse(command, 'no such real-time function');
      case 'ESC @':
        return this.initialise();
      case 'ESC !':
        return this.#printMode(n);
      case 'ESC -':
        return this.#restyle(command, { underline: n % 48 > 0 }, n % 48 <= 2);
      case 'ESC 2':
        this.#spacingDots = defaultSpacingDots;
        return;
      case 'ESC 3':
        this.#spacingDots = n;
        return;
      case 'ESC E':
      case 'ESC G':
        return this.#restyle(command, { bold: (n & 1) === 1 });
      case 'ESC J':
        return this.#feedDots(n);
      case 'ESC M':
        return this.#restyle(command, { font: n % 48 === 1 ? 'B' : 'A' }, n % 48 <= 1);
      case 'ESC R':
        if (n !== 0) this.#refuse(command, 'only the character set of the USA is here');
        return;
      case 'ESC a':
        return this.#alignTo(command, n);
      case 'ESC d':
        return this.#feedLines(n);
      case 'ESC p':
        return n % 48 <= 1 ? this.#mechanism.kickDrawer() : this.#refuse(command, 'no such drawer connector');
      case 'ESC t':
        this.#codePage = codePages.get(n);
        if (this.#codePage === undefined) this.#refuse(command, 'no such code page');
        return;
      case 'FS &':
        this.#kanji = new TextDecoder(this.#kanjiRom);
        return;
      case 'FS .':
        this.#kanji = undefined;
        return;
      case 'FS C':
        if (n % 48 !== 0) this.#refuse(command, 'this printer has no other double-byte code system');
        return;
      case 'GS !':
        return this.#restyle(
          command,
          { widthScale: (n >> 4) + 1, heightScale: (n & 0x0f) + 1 },
          n >> 4 <= 7 && (n & 0x0f) <= 7,
        );
      case 'GS (':
        return this.#symbol(command);
      case 'GS B':
        return this.#restyle(command, { inverted: (n & 1) === 1 });
      case 'GS V':
        return this.#cut(command, n);
      case 'GS a':
        return this.#mechanism.reportChanges(n);
      case 'GS v 0':
        return this.#raster(command);
      default:
        command.name satisfies never;
    }
  }

  #text(bytes: Buffer): void {
    const characters = this.#kanji
      ? this.#kanji.decode(bytes, { stream: true })
      : Array.from(bytes, (byte) => characterOf(byte, this.#codePage));
    for (const character of characters) this.#put(character);
  }

  /** A full line is printed by itself. */
  #put(character: string): void {
    const printed = { character, style: this.#style };
    const width = this.#line.reduce((sum, each) => sum + widthDots(each), 0);
    if (width + widthDots(printed) > paperWidthDots) this.#feedLine();
    this.#line.push(printed);
  }

  #tab(): void {
    const column = this.#line.length % tabColumns;
    for (let i = column; i < tabColumns; i++) this.#put(' ');
  }

  #feedLine(): void {
    const tallest = Math.max(0, ...this.#line.map(({ style }) => cellSize[style.font].height * style.heightScale));
    const heightDots = Math.max(this.#spacingDots, tallest);
    this.#mechanism.print({ kind: 'line', align: this.#align, characters: this.#line, heightDots });
    this.#line = [];
  }

  /** Prints the buffer and feeds n lines in all; n = 0 only prints. */
  #feedLines(n: number): void {
    if (this.#line.length > 0 || n > 0) this.#feedLine();
    for (let i = 1; i < n; i++) this.#feedLine();
  }

  #feedDots(dots: number): void {
    if (this.#line.length > 0) this.#feedLine();
    else this.#mechanism.print({ kind: 'feed', heightDots: dots });
  }

  #printMode(n: number): void {
    this.#style = {
      font: (n & 0x01) === 0 ? 'A' : 'B',
      bold: (n & 0x08) !== 0,
      heightScale: (n & 0x10) === 0 ? 1 : 2,
      widthScale: (n & 0x20) === 0 ? 1 : 2,
      underline: (n & 0x80) !== 0,
      inverted: this.#style.inverted,
    };
  }

  #restyle(command: Command, change: Partial<Style>, known = true): void {
    if (known) this.#style = { ...this.#style, ...change };
    else this.#refuse(command, 'no such value');
  }

  #alignTo(command: Command, n: number): void {
    const align = n >= 48 ? alignments[n - 48] : alignments[n];
    if (align === undefined) return this.#refuse(command, 'no such alignment');
    if (!this.#atLineStart(command)) return;
    this.#align = align;
  }

  #cut(command: Command, n: number): void {
    if (![0x00, 0x01, 0x30, 0x31, 0x41, 0x42].includes(n)) return this.#refuse(command, 'no such cut');
    if (!this.#atLineStart(command)) return;
    const feed = command.parameters[1] ?? 0;
    if (feed > 0) this.#mechanism.print({ kind: 'feed', heightDots: feed });
    this.#mechanism.print({ kind: 'cut', partial: n === 0x01 || n === 0x31 || n === 0x42 });
  }

  #raster(command: Command): void {
    const { parameters } = command;
    const mode = (parameters[0] ?? 0) % 48;
    const widthBytes = parameters.readUInt16LE(1);
    const height = parameters.readUInt16LE(3);
    if (mode > 3 || widthBytes === 0 || height === 0 || height > imageHeightMax) {
      return this.#refuse(command, 'no such raster image');
    }
    if (!this.#atLineStart(command)) return;
    const scaleX = 1 + (mode & 1);
    const scaleY = 1 + (mode >> 1);
    const dots = Bitmap.fromRows(parameters.subarray(5), widthBytes);
    const image = new Bitmap(Math.min(dots.width * scaleX, paperWidthDots), dots.height * scaleY);
    image.draw(dots, 0, 0, scaleX, scaleY);
    this.#mechanism.print({ kind: 'image', align: this.#align, image });
  }

  #symbol(command: Command): void {
    const result = command.parameters[0] === 0x6b ? this.#qr.execute(command.parameters.subarray(3)) : 'unknown';
    if (result === 'unknown') return this.#refuse(command, 'no function of GS ( that this printer knows');
    if (result === 'stored') return;
    if (result === 'empty') return this.#refuse(command, 'a QR code was to be printed, none was stored');
    if (this.#atLineStart(command)) this.#mechanism.print({ kind: 'qr', align: this.#align, ...result });
  }

  /** Some commands are valid only at the beginning of a line; elsewhere the hardware ignores them silently. */
  #atLineStart(command: Command): boolean {
    if (this.#line.length > 0) this.#refuse(command, 'counts at the beginning of a line only');
    return this.#line.length === 0;
  }

  #refuse(command: Command, why: string): void {
    this.#mechanism.unexpected(command.bytes, why);
  }
}
