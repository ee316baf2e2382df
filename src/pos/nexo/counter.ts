import { JsonNumber } from '../contracts/pos-calls.ts';
import { messageIdOf } from './identity.ts';
import type { DisplayRequest, OutputContent, OutputText, PrintRequest } from './messages.ts';
import { type Asked, bodyOf, type NexoParts } from './outcome.ts';
import type { Handled } from './payment.ts';
import { failure, failureOf, type NexoResponse, success } from './response.ts';

/** The terminal prints a job with this name once. */
function jobIdOf({ header, digest }: Asked): string {
  const { SaleID: saleId, ServiceID: serviceId, MessageCategory: category } = header;
  return messageIdOf({ saleId, serviceId, category, transaction: [digest] });
}

const notPrintable = failure('UnavailableService', 'This terminal prints Text, and BarCode of the type QRCODE.');
/** A call waits twenty seconds for the printer. */
const printCalls = 3;

export async function handlePrint({ PrintOutput }: PrintRequest, asked: Asked, parts: NexoParts): Promise<Handled> {
  const { DocumentQualifier, OutputContent: content } = PrintOutput;
  const answerOf = (response: NexoResponse): Handled => ({ response: { DocumentQualifier, Response: response } });
  const lines = printLines(content);
  if (!lines) return answerOf(notPrintable);
  const job = { posId: asked.posId, messageId: jobIdOf(asked), lines, wait: false };
  for (let call = 1; ; call++) {
    const answer = await parts.calls.print(job, asked.caller);
    const body = bodyOf(answer);
    if (body['printStatus'] === 'PRINTED') return answerOf(success);
    if (body['printStatus'] !== 'WAITING' || call === printCalls) return answerOf(failureOf(answer.status, body));
  }
}

function printLines({ OutputFormat, OutputText, OutputBarcode }: OutputContent): object[] | undefined {
  if (OutputFormat === 'BarCode') {
    const { BarcodeType, BarcodeValue } = OutputBarcode ?? {};
    return BarcodeType?.toUpperCase() === 'QRCODE' ? [{ type: 'qr', text: BarcodeValue }] : undefined;
  }
  if (OutputFormat !== 'Text' || !OutputText || OutputText.length === 0) return undefined;
  return joinLines(OutputText).map(({ text, ...style }) => ({ type: 'text', text, ...styleOf(style) }));
}

type Style = Pick<OutputText, 'EndOfLineFlag' | 'CharacterStyle' | 'CharacterHeight' | 'CharacterWidth' | 'Alignment'>;

interface JoinedLine extends Style {
  readonly text: string;
}

/** A piece without EndOfLineFlag false ends its line. A line has the style of its first piece. */
function joinLines(pieces: readonly OutputText[]): JoinedLine[] {
  const lines: JoinedLine[] = [];
  let begun: JoinedLine | undefined;
  for (const { Text, ...style } of pieces) {
    const [first = '', ...further] = Text.replaceAll('\t', ' ').split(/\r?\n/);
    begun = begun ? { ...begun, text: begun.text + first } : { ...style, text: first };
    for (const text of further) {
      lines.push(begun);
      begun = { ...style, text };
    }
    if (style.EndOfLineFlag === false) continue;
    lines.push(begun);
    begun = undefined;
  }
  return begun ? [...lines, begun] : lines;
}

const alignments: Readonly<Record<string, string>> = { Left: 'left', Right: 'right', Centred: 'center' };

function styleOf({ CharacterStyle, CharacterHeight, CharacterWidth, Alignment }: Style): object {
  const align = alignments[Alignment ?? ''];
  const isDouble = CharacterHeight === 'DoubleHeight' || CharacterWidth === 'DoubleWidth';
  return {
    ...(CharacterStyle === 'Bold' ? { bold: true } : {}),
    ...(isDouble ? { size: 'double' } : {}),
    ...(align === undefined ? {} : { align }),
  };
}

const [textLinesMax, lineMax] = [8, 60];
const notShown = failure('UnavailableService', 'This terminal shows Text of at most 8 lines on its idle screen.');
const noDevice = failure('UnavailableDevice', 'This terminal has a CustomerDisplay only.');

export async function handleDisplay(
  { DisplayOutput }: DisplayRequest,
  asked: Asked,
  parts: NexoParts,
): Promise<Handled> {
  const OutputResult: object[] = [];
  for (const output of DisplayOutput) {
    const { Device, InfoQualify } = output;
    OutputResult.push({ Device, InfoQualify, Response: await showOutput(output, asked, parts) });
  }
  return { response: { OutputResult } };
}

async function showOutput(
  { Device, OutputContent: content, MinimumDisplayTime: least }: DisplayRequest['DisplayOutput'][number],
  { posId, caller }: Asked,
  { calls }: NexoParts,
): Promise<NexoResponse> {
  if (Device !== 'CustomerDisplay') return noDevice;
  const text = displayLines(content);
  if (!text) return notShown;
  const seconds = Math.round(Number(least?.source ?? 0));
  const time = seconds >= 1 && seconds <= 3_600 ? { seconds: new JsonNumber(String(seconds)) } : {};
  const answer = await calls.display({ posId, ...(text.length === 0 ? {} : { text, ...time }) }, caller);
  const body = bodyOf(answer);
  return body.responseResult === 'SUCCESS' ? success : failureOf(answer.status, body);
}

/** Empty: what this till has shown is taken away, which is the predefined content Idle. */
function displayLines({ OutputFormat, OutputText, PredefinedContent }: OutputContent): string[] | undefined {
  if (OutputFormat === 'MessageRef') return PredefinedContent?.ReferenceID === 'Idle' ? [] : undefined;
  if (OutputFormat !== 'Text' || !OutputText || OutputText.length === 0) return undefined;
  const lines = joinLines(OutputText).flatMap(({ text }) => wrap(text.trim()));
  return lines.length > 0 && lines.length <= textLinesMax ? lines : undefined;
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const character of text) {
    if (line.length + character.length > lineMax) {
      lines.push(line);
      line = '';
    }
    line += character;
  }
  return line === '' ? lines : [...lines, line];
}
