/** A setting that contradicts another one. */
export interface Contradiction {
  readonly path: readonly (string | number)[];
  /** The rest of a sentence after the path: 'is the device of reader.path too'. */
  readonly message: string;
}
