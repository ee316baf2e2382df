import { setImmediate } from 'node:timers/promises';
import { dividesCardNumber, showsCardNumber } from '../../base/domain/masking.ts';
import type { Reason } from '../../base/domain/reason.ts';
import type { Sheet } from '../../base/ports/receipt-printer.ts';
import { counterWordsOf } from '../../receipt/counter-words.ts';
import { dateTimeLine } from '../../receipt/lines.ts';
import type { ReceiptLanguage } from '../../base/domain/receipt-language.ts';
import { centredLine, fit, type ReceiptLine, rule } from '../../receipt/line.ts';
import { cellWidth, pitchOf } from '../../receipt/line-dots.ts';
import { PictureFault, shopLogo, tillPicture } from '../../receipt/logo.ts';
import { qrDots } from '../../receipt/qr-dots.ts';

/** One line of a till's job. */
export type TillLine =
  | {
      readonly type: 'text';
      readonly text: string;
      readonly align?: 'left' | 'center' | 'right' | undefined;
      readonly bold?: boolean | undefined;
      readonly size?: 'normal' | 'double' | undefined;
    }
  | {
      readonly type: 'columns';
      readonly left: string;
      readonly right: string;
      readonly bold?: boolean | undefined;
      readonly size?: 'normal' | 'double' | undefined;
    }
  | { readonly type: 'qr'; readonly text: string }
  | { readonly type: 'picture'; readonly png: string }
  | { readonly type: 'rule' }
  | { readonly type: 'logo' }
  | { readonly type: 'cut' };

export interface TillPaperOptions {
  readonly columns: number;
  readonly language: ReceiptLanguage;
  readonly timeZone: string;
  /** Path or data: URL of a PNG; empty for none. */
  readonly logo: string;
  /** Whether a job may show a card number. */
  readonly cardNumbers: 'refuse' | 'print';
  readonly onFailure: (error: unknown) => void;
}

/** Why a job can't be printed, and the line that is the cause. */
export interface LineFault {
  readonly reason: Reason;
  /** Its place in the request: '/lines/3'. */
  readonly pointer: string;
  readonly message: string;
}

/** Maximum height of one job in dots, 40 cm. A printer's limit for one job has room for it as a picture. */
const dotsMax = 3_200;

/** A line that is printed, with its index in the request. */
type PlacedLine = readonly [index: number, line: PrintedLine];
type PrintedLine = Exclude<TillLine, { readonly type: 'cut' }>;
type DrawnLine = Extract<TillLine, { readonly type: 'qr' | 'picture' | 'logo' }>;

/** Each line as it is on paper, by its index in the request. */
type Fitted = Map<number, readonly ReceiptLine[]>;

/**
 * Lays out a till's print job: a sheet for each piece that is cut. Each piece begins and ends with the terminal's own
 * lines, because paper of a payment terminal is taken for a payment slip: they state that it is not one, and name the
 * till. The event loop gets a turn after each line, because it also serves the card reader.
 */
export async function layOutTillLines(
  lines: readonly TillLine[],
  { posId, at }: { readonly posId: string; readonly at: Date },
  options: TillPaperOptions,
): Promise<readonly Sheet[] | LineFault> {
  const { columns, language, timeZone } = options;
  const { till } = counterWordsOf(language);
  const heading = fit([centredLine(`${till.from} ${posId}`, 'bold'), rule], columns);
  const footing = fit([rule, centredLine(till.noSlip, 'bold'), dateTimeLine(at, timeZone)], columns);
  const pieces = piecesOf(lines);
  if (pieces.length === 0)
    return { reason: 'fieldInvalid', pointer: '/lines', message: 'must have something to print' };
  const placed = pieces.flat();
  const fitted: Fitted = new Map();
  // The height of the text comes first, because it limits what the other steps have to do.
  const room = new Room(dotsMax - pieces.length * heightOf([...heading, ...footing]));
  const fault =
    (await fitTexts(placed, fitted, room, columns)) ??
    (await cardNumberIn(lines, options)) ??
    (await drawPictures(placed, fitted, room, options));
  if (fault) return fault;
  return pieces.map((piece) => [...heading, ...piece.flatMap(([index]) => fitted.get(index) ?? []), ...footing]);
}

/** The lines between two cuts; pieces without lines are left out. */
function piecesOf(lines: readonly TillLine[]): readonly (readonly PlacedLine[])[] {
  const pieces: PlacedLine[][] = [[]];
  for (const [index, line] of lines.entries()) {
    if (line.type === 'cut') pieces.push([]);
    else pieces.at(-1)?.push([index, line]);
  }
  return pieces.filter((piece) => piece.length > 0);
}

/** The remaining height of the paper. */
class Room {
  #dots: number;

  constructor(dots: number) {
    this.#dots = dots;
  }

  /** Takes the height of these lines; returns a fault if they are too high. */
  take(lines: readonly ReceiptLine[]): LineFault | undefined {
    this.#dots -= heightOf(lines);
    if (this.#dots >= 0) return undefined;
    return { reason: 'printTooLong', pointer: '/lines', message: `are longer than ${dotsMax / 8} mm of paper` };
  }
}

function heightOf(lines: readonly ReceiptLine[]): number {
  return lines.reduce((sum, line) => sum + pitchOf(line), 0);
}

/** Fits all lines that need no drawing. */
async function fitTexts(
  lines: readonly PlacedLine[],
  fitted: Fitted,
  room: Room,
  columns: number,
): Promise<LineFault | undefined> {
  for (const [index, line] of lines) {
    if (isDrawn(line)) continue;
    const fits = fit([textLine(line)], columns);
    fitted.set(index, fits);
    const fault = room.take(fits);
    if (fault) return fault;
    await setImmediate();
  }
  return room.take([]);
}

function isDrawn(line: PrintedLine): line is DrawnLine {
  return line.type === 'qr' || line.type === 'picture' || line.type === 'logo';
}

function textLine(line: Exclude<PrintedLine, DrawnLine>): ReceiptLine {
  if (line.type === 'rule') return rule;
  const { bold = false, size = 'normal' } = line;
  if (line.type === 'columns')
    return { kind: 'pair', left: plainText(line.left), right: plainText(line.right), bold, size };
  return { kind: 'text', text: plainText(line.text), align: line.align ?? 'left', bold, size };
}

async function drawPictures(
  lines: readonly PlacedLine[],
  fitted: Fitted,
  room: Room,
  options: TillPaperOptions,
): Promise<LineFault | undefined> {
  for (const [index, line] of lines) {
    if (!isDrawn(line)) continue;
    const picture = await drawLine(line, options);
    if ('reason' in picture) return { ...picture, pointer: `/lines/${index}${picture.pointer}` };
    fitted.set(index, [picture]);
    const fault = room.take([picture]);
    if (fault) return fault;
    await setImmediate();
  }
  return undefined;
}

async function drawLine(
  line: DrawnLine,
  { columns, logo, onFailure }: TillPaperOptions,
): Promise<ReceiptLine | LineFault> {
  const widthMax = columns * cellWidth;
  switch (line.type) {
    case 'qr':
      return { kind: 'picture', dots: qrDots(line.text, widthMax) };
    case 'picture':
      return pictureLine(line.png, widthMax);
    case 'logo': {
      const dots = await shopLogo(logo, widthMax, onFailure);
      return dots ? { kind: 'picture', dots } : pictureFault('/type', 'can’t be logo: this terminal has none');
    }
    default:
      return line satisfies never;
  }
}

/**
 * A card number in a line, or divided between lines of text that follow one another. Paper is read and kept by others,
 * so a till must not print whole card numbers by mistake.
 */
async function cardNumberIn(
  lines: readonly TillLine[],
  { cardNumbers }: TillPaperOptions,
): Promise<LineFault | undefined> {
  if (cardNumbers === 'print') return undefined;
  let texts: string[] = [];
  let columns: ColumnsLine[] = [];
  for (const [index, line] of lines.entries()) {
    if (showsCardNumber(shownText(line)))
      return cardNumberFault(`/lines/${index}${line.type === 'columns' ? '' : '/text'}`);
    if (line.type === 'text') texts.push(line.text);
    const isLast = lines[index + 1]?.type !== 'text';
    if (isLast && dividesCardNumber(texts)) return cardNumberFault(`/lines/${index + 1 - texts.length}/text`);
    if (isLast) texts = [];
    if (line.type === 'columns') columns.push(line);
    const isLastOfColumns = lines[index + 1]?.type !== 'columns';
    if (isLastOfColumns && dividedBetweenColumns(columns))
      return cardNumberFault(`/lines/${index + 1 - columns.length}`);
    if (isLastOfColumns) columns = [];
    await setImmediate();
  }
  return undefined;
}

type ColumnsLine = Extract<TillLine, { readonly type: 'columns' }>;

/** Whether a card number is divided between lines of two columns: read down one of them, or line by line. */
function dividedBetweenColumns(lines: readonly ColumnsLine[]): boolean {
  const readings = [
    lines.map(({ left }) => left),
    lines.map(({ right }) => right),
    lines.map((line) => shownText(line)),
  ];
  return readings.some(dividesCardNumber);
}

/** The text of a line as it can be read on paper or in its code. */
function shownText(line: TillLine): string {
  if (line.type === 'columns') return `${line.left} ${line.right}`;
  return 'text' in line ? line.text : '';
}

function cardNumberFault(pointer: string): LineFault {
  return { reason: 'cardNumberNotAllowed', pointer, message: 'must not show a card number' };
}

/** The request has no control characters. Spaces are kept: a till may have aligned its text with them. */
function plainText(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{Zs}/gu, ' ')
    .replace(/\p{C}/gu, '');
}

async function pictureLine(source: string, widthMax: number): Promise<ReceiptLine | LineFault> {
  try {
    return { kind: 'picture', dots: await tillPicture(source, widthMax) };
  } catch (error) {
    if (error instanceof PictureFault) return pictureFault('/png', error.message);
    throw error;
  }
}

function pictureFault(pointer: string, message: string): LineFault {
  return { reason: 'pictureNotPossible', pointer, message };
}
