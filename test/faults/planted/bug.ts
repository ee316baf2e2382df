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
}

export function edits({ also, ...first }: Bug): readonly Edit[] {
  return also ? [first, also] : [first];
}
