/** An object of a merchant-presented code: two digits of id, two digits of length, value. */
export interface DataObject {
  readonly id: string;
  readonly value: string;
  /** Where it begins, in characters from the start of the parsed text. */
  readonly offset: number;
}

export type DataObjectFault = {
  readonly kind: 'fault';
  readonly fault: 'bad-id' | 'bad-length' | 'truncated' | 'duplicate';
  readonly offset: number;
};

/**
 * The data objects at the top level of `text`. A length counts characters, not bytes or UTF-16 units: EMVCo MPM, 3.2. A
 * repeated id is refused, because neither object could be trusted.
 */
export function dataObjects(text: string): readonly DataObject[] | DataObjectFault {
  const characters = Array.from(text);
  const objects: DataObject[] = [];
  for (let offset = 0; offset < characters.length; ) {
    const fault = (what: DataObjectFault['fault']): DataObjectFault => ({ kind: 'fault', fault: what, offset });
    const id = characters.slice(offset, offset + 2).join('');
    const length = characters.slice(offset + 2, offset + 4).join('');
    if (!/^\d{2}$/.test(id)) return fault('bad-id');
    if (!/^\d{2}$/.test(length) || length === '00') return fault('bad-length');
    const end = offset + 4 + Number(length);
    if (end > characters.length) return fault('truncated');
    if (objects.some((other) => other.id === id)) return fault('duplicate');
    objects.push({ id, value: characters.slice(offset + 4, end).join(''), offset });
    offset = end;
  }
  return objects;
}
