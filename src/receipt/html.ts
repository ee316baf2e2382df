import { dateTimeLine, receiptContent } from './lines.ts';
import type { ReceiptDocument } from './document.ts';
import type { Dots } from './dots.ts';
import { type ReceiptLayout, plainLayout } from './layout.ts';
import type { PairLine, ReceiptLine, TextLine } from './line.ts';
import { cellWidth } from './line-dots.ts';
import type { PictureOptions } from './picture.ts';
import { shopLogo } from './logo.ts';
import { png } from './png.ts';

/** The columns of the narrowest paper; a browser widens the page by itself. */
const columns = 32;

/** The page fetches nothing, so it may be stored, sent and opened anywhere. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** The reader's own fonts. Figures of one width stand below each other. */
const style = `
:root { color-scheme: light }
body { margin: 0; padding: 1.5rem 1rem; background: #eee; color: #000; font: 1rem/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums }
main { box-sizing: border-box; max-width: 24rem; margin: 0 auto; padding: 1.5rem; background: #fff; overflow-wrap: anywhere }
h1, p, dl { margin: 0 }
h1 { font-size: 1.4rem; text-align: center }
dl > div { display: flex; flex-wrap: wrap; justify-content: space-between; column-gap: 1.5rem }
dd { margin: 0 0 0 auto; text-align: right }
hr { margin: .6rem 0; border: 0; border-top: 1px dashed #666 }
img { display: block; max-width: 100%; margin: .5rem auto; image-rendering: pixelated }
.center { text-align: center } .right { text-align: right }
.bold { font-weight: 600 } .double { font-size: 1.3rem; font-weight: 600 }
.gap { height: .8rem }
@media print { @page { margin: 15mm } body { padding: 0; background: none } main { padding: 0; break-inside: avoid } }`;

/**
 * The receipt as one HTML page without anything outside of it: for a mail, an archive or a PDF. Rejects where the
 * logo's picture can't be made; a logo that can't be read is left out.
 */
export async function receiptHtml(
  document: ReceiptDocument,
  layout: ReceiptLayout = plainLayout,
  { logo: logoSource = '', onFailure }: PictureOptions = {},
): Promise<string> {
  const logo = await shopLogo(logoSource, columns * cellWidth, onFailure);
  const lines = receiptContent(document, layout, columns);
  const title = [document.shop.name, dateTimeLine(document.at, document.timeZone).left].map(escape).join(' – ');
  const body = [...(logo ? [await pictureHtml(logo)] : []), ...(await linesHtml(lines))];
  return `<!doctype html>
<html lang="${document.language ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>
<style>${style}
</style>
</head>
<body>
<main>
${body.join('\n')}
</main>
</body>
</html>
`;
}

/** Pairs that follow each other are one list. The first line in double size is the shop's name. */
async function linesHtml(lines: readonly ReceiptLine[]): Promise<string[]> {
  const parts: string[] = [];
  let list: PairLine[] = [];
  let hasHeading = false;
  const endList = () => {
    if (list.length > 0) parts.push(`<dl>\n${list.map(pairHtml).join('\n')}\n</dl>`);
    list = [];
  };
  for (const line of lines) {
    if (line.kind === 'pair') {
      list.push(line);
      continue;
    }
    endList();
    if (line.kind === 'rule') parts.push('<hr>');
    else if (line.kind === 'picture') parts.push(await pictureHtml(line.dots));
    else if (line.text === '') parts.push('<div class="gap"></div>');
    else if (line.size === 'double' && !hasHeading) {
      hasHeading = true;
      parts.push(`<h1>${escape(line.text)}</h1>`);
    } else parts.push(`<p${classes(line, line.align)}>${escape(line.text)}</p>`);
  }
  endList();
  return parts;
}

function pairHtml(line: PairLine): string {
  return `<div${classes(line)}><dt>${escape(line.left)}</dt><dd>${escape(line.right)}</dd></div>`;
}

function classes({ bold, size }: Pick<TextLine, 'bold' | 'size'>, align: TextLine['align'] = 'left'): string {
  const names = [
    ...(align === 'left' ? [] : [align]),
    ...(size === 'double' ? ['double'] : []),
    ...(bold && size !== 'double' ? ['bold'] : []),
  ];
  return names.length === 0 ? '' : ` class="${names.join(' ')}"`;
}

async function pictureHtml(dots: Dots): Promise<string> {
  const data = Buffer.from(await png(dots)).toString('base64');
  return `<img alt="" width="${Math.round(dots.width / 2)}" src="data:image/png;base64,${data}">`;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (each) => escapes[each] ?? each);
}
