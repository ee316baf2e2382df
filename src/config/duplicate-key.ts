/** A key with its colon, or a structural character. */
const token = /"((?:[^"\\]|\\.)*)"\s*(:)?|[{}[\],]/g;

/** The first key that appears twice in its object; JSON.parse would silently take the last one. */
export function duplicateKey(json: string): string | undefined {
  const open: { readonly names: Set<string> | undefined; at: string | number }[] = [];
  for (const [mark, text = '', colon] of json.matchAll(token)) {
    const inner = open.at(-1);
    if (mark === '{' || mark === '[') {
      open.push(mark === '{' ? { names: new Set(), at: '' } : { names: undefined, at: 0 });
    } else if (mark === '}' || mark === ']') {
      open.pop();
    } else if (mark === ',' && typeof inner?.at === 'number') {
      inner.at++;
    } else if (colon !== undefined && inner?.names) {
      // Different escapes of one name are the same name.
      const name = String(JSON.parse(`"${text}"`));
      inner.at = name;
      if (inner.names.has(name)) return open.map(({ at }) => at).join('.');
      inner.names.add(name);
    }
  }
  return undefined;
}
