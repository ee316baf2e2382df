/** A fenced block of a document, with the comment that stands right before it. */
export interface Block {
  /** `docs/pos.md:54` */
  readonly place: string;
  readonly language: string;
  readonly text: string;
  /** `prints: PATTERN`, `schema: NAME`, `not run: why`; empty without a comment. */
  readonly mark: string;
}

/** Every fenced block of a Markdown text. */
export function blocksOf(file: string, markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  let open: { language: string; from: number } | undefined;
  for (const [at, line] of lines.entries()) {
    const [, language] = /^ *```(\w*)/.exec(line) ?? [];
    if (language === undefined) continue;
    if (open) {
      const [, mark = ''] = /^ *<!-- (.*) -->$/.exec(lines[open.from - 1] ?? '') ?? [];
      const text = lines.slice(open.from + 1, at).join('\n');
      blocks.push({ place: `${file}:${open.from + 1}`, language: open.language, text, mark });
      open = undefined;
    } else {
      open = { language, from: at };
    }
  }
  return blocks;
}
