/** A part that is used through one reference, and can be replaced by another one. */
export interface Switchable<Part extends object> {
  readonly part: Part;
  /** From now on `part` refers to `next`. */
  readonly switchTo: (next: Part) => void;
}

export function switchable<Part extends object>(first: Part): Switchable<Part> {
  let present = first;
  const part = new Proxy(first, {
    get(_first, name) {
      const value = Reflect.get(present, name, present) as unknown;
      // Private fields belong to the part itself.
      return typeof value === 'function' ? (value.bind(present) as unknown) : value;
    },
  });
  return {
    part,
    switchTo: (next) => {
      present = next;
    },
  };
}
