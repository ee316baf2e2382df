/** A setting that contradicts another one. */
export interface Contradiction {
  readonly path: readonly (string | number)[];
  /** The rest of a sentence after the path: 'is the device of reader.path too'. */
  readonly message: string;
}

/** Names whose value occurs earlier, each with the first name of that value. */
export function findRepeated(
  named: readonly (readonly [name: string, value: string])[],
): [name: string, first: string][] {
  return named.flatMap(([name, value], at) => {
    const first = named.findIndex(([, other]) => other === value);
    return first < at ? [[name, named[first]?.[0] ?? '']] : [];
  });
}
