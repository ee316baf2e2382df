/** A number as it stood in the JSON text: '30.00'. Amounts are read from it digit by digit, never from a double. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** Parses JSON with every number kept as its source text. Throws SyntaxError, also for what nests deeper than the stack. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown, context?: { source?: string }) => {
      // No request has such a field, and zod compares it where an object stands for a text: `{"toString":1}` throws there.
      if (key === 'length') return undefined;
      return typeof value === 'number' ? new JsonNumber(context?.source ?? '') : value;
    });
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError('nested too deep', { cause: error });
    throw error;
  }
}
