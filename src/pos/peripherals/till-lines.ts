import { showsCardNumber } from '../../base/domain/masking.ts';
import type { Reason } from '../../base/domain/reason.ts';
import type { Sheet } from '../../base/ports/receipt-printer.ts';
import { counterWordsOf } from '../../receipt/counter-words.ts';
import { dateTimeLine } from '../../receipt/heading.ts';
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

/** Why a job can't be printed, and which of its lines is why. */
export interface LineFault {
  readonly reason: Reason;
  /** Its place in the request: '/lines/3'. */
  readonly pointer: string;
  readonly message: string;
}

/** What is on paper of one job: so many dots, 40 cm. What a printer takes as one job has room for it as a picture. */
const dotsMax = 3_200;

/**
 * Lays out what a till prints: a sheet for each piece that is cut. Each piece begins and ends with the terminal's own
 * lines, because paper of a payment terminal is taken for a payment slip: they tell that it is none, and whose it is.
 */
export async function layOutTillLines(
  lines: readonly TillLine[],
  { posId, at }: { readonly posId: string; readonly at: Date },
  options: TillPaperOptions,
): Promise<readonly Sheet[] | LineFault> {
  const { columns, language, timeZone } = options;
  const { till } = counterWordsOf(language);
  const heading = [centredLine(`${till.from} ${posId}`, 'bold'), rule];
  const footing = [rule, centredLine(till.noSlip, 'bold'), dateTimeLine(at, timeZone)];
  const pieces: ReceiptLine[][] = [[]];
  for (const [index, line] of lines.entries()) {
    if (line.type === 'cut') {
      pieces.push([]);
      continue;
    }
    const laidOut = await layOutLine(line, options);
    if ('reason' in laidOut) return { ...laidOut, pointer: `/lines/${index}${laidOut.pointer}` };
    pieces.at(-1)?.push(laidOut);
  }
  const divided = cardNumberAcross(lines, options);
  if (divided) return divided;
  const sheets = pieces
    .filter((piece) => piece.length > 0)
    .map((piece) => fit([...heading, ...piece, ...footing], columns));
  const height = sheets.flat().reduce((sum, line) => sum + pitchOf(line), 0);
  if (height > dotsMax) {
    const message = `are longer than ${dotsMax / 8} mm of paper`;
    return { reason: 'printTooLong', pointer: '/lines', message };
  }
  if (sheets.length === 0)
    return { reason: 'fieldInvalid', pointer: '/lines', message: 'must have something to print' };
  return sheets;
}

async function layOutLine(
  line: Exclude<TillLine, { readonly type: 'cut' }>,
  options: TillPaperOptions,
): Promise<ReceiptLine | LineFault> {
  switch (line.type) {
    case 'rule':
      return rule;
    case 'text': {
      const { text, align = 'left', bold = false, size = 'normal' } = line;
      const laidOut = { kind: 'text', text: plainText(text), align, bold, size } as const;
      return cardNumberFault([text], '/text', options) ?? laidOut;
    }
    case 'columns': {
      const { left, right, bold = false, size = 'normal' } = line;
      const laidOut = { kind: 'pair', left: plainText(left), right: plainText(right), bold, size } as const;
      return cardNumberFault([`${left} ${right}`], '', options) ?? laidOut;
    }
    case 'qr': {
      const laidOut = () => ({ kind: 'picture', dots: qrDots(line.text, options.columns * cellWidth) }) as const;
      return cardNumberFault([line.text], '/text', options) ?? laidOut();
    }
    case 'picture':
      return pictureLine(line.png, options.columns * cellWidth);
    case 'logo': {
      const dots = await shopLogo(options.logo, options.columns * cellWidth, options.onFailure);
      return dots ? { kind: 'picture', dots } : pictureFault('/type', 'can’t be logo: this terminal has none');
    }
    default:
      return line satisfies never;
  }
}

/** Paper is read and kept by others: no till prints whole card numbers on a payment terminal by mistake. */
function cardNumberFault(
  texts: readonly string[],
  pointer: string,
  { cardNumbers }: TillPaperOptions,
): LineFault | undefined {
  if (cardNumbers === 'print' || !showsCardNumber(...texts)) return undefined;
  return { reason: 'cardNumberNotAllowed', pointer, message: 'must not show a card number' };
}

/** A card number that is divided between lines of text which follow one another. */
function cardNumberAcross(lines: readonly TillLine[], options: TillPaperOptions): LineFault | undefined {
  let [first, texts]: [number, string[]] = [0, []];
  for (const [index, line] of lines.entries()) {
    if (line.type === 'text') texts.push(line.text);
    else [first, texts] = [index + 1, []];
    const fault = texts.length > 1 && cardNumberFault(texts, `/lines/${first}/text`, options);
    if (fault) return fault;
  }
  return undefined;
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
