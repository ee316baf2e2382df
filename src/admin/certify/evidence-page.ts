import { plainLines, plainText } from '../../base/domain/plain-text.ts';
import { valueText } from '../trace/message-lines.ts';
import type { CaseResult, Evidence, TracedLine } from './evidence.ts';

/** The page may be printed without colours, so the verdict is a word, and a failed case has a thick border. */
const style = `
body { font: 14px/1.4 sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em; color: #111; background: #fff; }
table { border-collapse: collapse; width: 100%; margin: .5em 0; }
th, td { border: 1px solid #999; padding: .2em .5em; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
td.n { white-space: nowrap; text-align: right; }
.mark { font-weight: bold; border: 2px solid; padding: 0 .4em; }
.PASS { color: #063; } .FAIL { color: #a00; border-style: double; border-width: 4px; } .INCOMPLETE { color: #740; }
section { border-top: 3px solid #111; margin-top: 2em; }
pre { border: 1px solid #999; padding: .5em; overflow: auto; font-size: 12px; display: inline-block; vertical-align: top; }
.hidden { font-style: italic; }
@media print { body { margin: 0; max-width: none; font-size: 11px; } tr, pre { break-inside: avoid; }
  h2, h3 { break-after: avoid; } }
`;

/** The evidence as a page without scripts and external content. */
export function evidencePage(evidence: Evidence): string {
  const { name, acquirer, script, software, serialNumber, runId, posId, verdict, cases, results } = evidence;
  const facts = {
    acquirer,
    software,
    'serial number': serialNumber,
    POS: posId,
    run: runId,
    'script (SHA-256)': script,
  };
  const passed = results.filter((each) => each.verdict === 'PASS').length;
  const rows = results.map(
    (each) =>
      `<tr><td><a href="#case-${text(each.id)}">${text(each.id)}</a></td><td>${text(each.title)}</td><td>${mark(each.verdict)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${text(name)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${style}</style></head><body>
<h1>${text(name)}</h1>
<p>${mark(verdict)} ${passed} of ${cases} cases passed, ${results.length} were run.</p>
${pairs(facts)}
<table><tr><th>case</th><th>title</th><th>verdict</th></tr>
${rows.join('\n')}
</table>
${results.map(section).join('\n')}
</body></html>
`;
}

function section(result: CaseResult): string {
  const { id, title, kind, verdict, reasons, beganAt, messageId, answer, responseCode, messages, receipt } = result;
  const facts = { kind, began: beganAt, messageId, ...answer, ...(responseCode ? { 'field 39': responseCode } : {}) };
  const why = reasons.length === 0 ? '' : `<ul>${reasons.map((each) => `<li>${text(each)}</li>`).join('')}</ul>`;
  const copies = receipt ? [receipt.customer, receipt.merchant] : [];
  return `<section id="case-${text(id)}"><h2>${text(id)} ${text(title)} ${mark(verdict)}</h2>
${why}
${pairs(facts)}
${messages.map(table).join('\n')}
${copies.map((each) => `<pre>${text(each, true)}</pre>`).join('\n')}
</section>`;
}

function table({ at, acquirer, direction, mti, bytes, parts, fault }: TracedLine): string {
  const head = `${mti ?? 'no message'} ${direction === 'sent' ? 'to' : 'from'} ${acquirer}, ${bytes} bytes, ${at}`;
  const rows = parts.flatMap(({ field, name, value, bytes: length, objects }) => [
    row(String(field), name, value, length, objects !== undefined),
    ...(objects ?? []).map((each) => row(each.tag, each.name, each.value, each.bytes, false)),
  ]);
  const why = fault === undefined ? '' : `<p>It could not be read as a whole: ${text(fault)}</p>`;
  return `<h3>${text(head)}</h3>${why}
<table><tr><th>field</th><th>name</th><th>value</th></tr>
${rows.join('\n')}
</table>`;
}

function row(number: string, name: string, value: string | undefined, bytes: number, isOpened: boolean): string {
  const kind = value === undefined ? ' class="hidden"' : '';
  const shown = text(valueText(value, bytes, isOpened));
  return `<tr><td class="n">${text(number)}</td><td>${text(name)}</td><td${kind}>${shown}</td></tr>`;
}

function pairs(facts: Readonly<Record<string, string | number | undefined>>): string {
  const rows = Object.entries(facts).filter(([, value]) => value !== undefined && value !== '');
  return `<table>${rows.map(([name, value]) => `<tr><th>${text(name)}</th><td>${text(String(value))}</td></tr>`).join('')}</table>`;
}

function mark(verdict: Evidence['verdict']): string {
  return `<span class="mark ${verdict}">${verdict}</span>`;
}

function text(value: string, hasLines = false): string {
  const plain = hasLines ? plainLines(value) : plainText(value);
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return plain.replaceAll(/[&<>"]/g, (each) => entities[each] ?? each);
}
