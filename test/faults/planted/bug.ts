/** A piece of the source and what it is turned into. */
interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** One known bug. `also`: where the house has a second wall behind the first. */
export interface Bug extends Edit {
  readonly name: string;
  readonly also?: Edit;
  /** Where the fault world has nothing of it (who may call, processes, files): the test that is to catch it. */
  readonly test?: string;
}

export function edits({ also, ...first }: Bug): readonly Edit[] {
  return also ? [first, also] : [first];
}
