/** A number as its JSON source text: '30.00'. Amounts are read from its digits, never from a double. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** Parses JSON and keeps every number as its source text. Throws SyntaxError, also if the nesting exceeds the stack. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown, context?: { source?: string }) => {
      // No request has a field of this name. zod compares it if an object stands in place of a string, and
      // `{"toString":1}` throws there.
      if (key === 'length') return undefined;
      return typeof value === 'number' ? new JsonNumber(context?.source ?? '') : value;
    });
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError('nested too deep', { cause: error });
    throw error;
  }
}
