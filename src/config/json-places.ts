/** Where something stands in a text: both count from 1, columns in UTF-16 units, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export type Path = readonly PropertyKey[];

/** The position of a value, and the values inside it by name or index. */
interface Place {
  /** Where the name begins; for an element of a list, where the element begins. */
  readonly name: number;
  readonly value: number;
  readonly inner: Map<string, Place>;
}

/**
 * The positions of the values of a JSON text, and its faults: keys that occur twice, where the text is not JSON, and
 * more values, levels or characters of a name than a file of settings may have. Time and memory grow linearly with the
 * length of the text.
 */
export class JsonPlaces {
  /** The paths of keys that stand in their object a second time; JSON.parse would silently take the last one. */
  readonly twice: { readonly path: Path; readonly offset: number }[] = [];
  /** Where the text stops being JSON, and what should stand there. */
  readonly fault: { readonly offset: number; readonly expected: string } | undefined;
  readonly #text: string;
  readonly #root: Place;
  readonly #path: string[] = [];
  /** The offset of each line; computed when the first position is requested. */
  #lines: readonly number[] | undefined;
  #values = 0;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
    this.#space();
    this.#root = { name: this.#offset, value: this.#offset, inner: new Map() };
    try {
      this.#value(this.#root);
      this.#space();
      if (this.#offset < text.length) this.#fail('the end');
    } catch (error) {
      if (!(error instanceof NoJson)) throw error;
      this.fault = { offset: error.offset, expected: error.expected };
    }
  }

  /** Where the name of this key stands; of an element, where it begins. */
  nameAt(path: Path): Position {
    const { place, isWhole } = this.#find(path);
    return this.position(isWhole ? place.name : place.value);
  }

  /** Where this value stands. If it is missing: the innermost value around its place. */
  valueAt(path: Path): Position {
    return this.position(this.#find(path).place.value);
  }

  position(offset: number): Position {
    this.#lines ??= lineBeginnings(this.#text);
    let [line, after] = [0, this.#lines.length];
    while (after - line > 1) {
      const middle = (line + after) >> 1;
      if ((this.#lines[middle] ?? 0) <= offset) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: offset - (this.#lines[line] ?? 0) + 1 };
  }

  #find(path: Path): { readonly place: Place; readonly isWhole: boolean } {
    let place = this.#root;
    for (const step of path) {
      const next = place.inner.get(String(step));
      if (!next) return { place, isWhole: false };
      place = next;
    }
    return { place, isWhole: true };
  }

  /** Reads the value at the present offset. */
  #value({ inner }: Place): void {
    this.#values += 1;
    if (this.#values > valuesMax) this.#fail(`no more than ${valuesMax} values`);
    if (this.#path.length > depthMax) this.#fail(`no more than ${depthMax} levels`);
    if (this.#takes('{')) this.#members(inner);
    else if (this.#takes('[')) this.#elements(inner);
    else if (this.#take(scalar) === undefined) this.#fail('a value');
  }

  #members(inner: Map<string, Place>): void {
    this.#space();
    if (this.#takes('}')) return;
    do {
      this.#space();
      const offset = this.#offset;
      const name = this.#name();
      this.#path.push(name);
      if (inner.has(name)) this.twice.push({ path: [...this.#path], offset });
      this.#space();
      if (!this.#takes(':')) this.#fail('a colon');
      this.#space();
      this.#innerValue(inner, name, offset);
      this.#space();
    } while (this.#takes(','));
    if (!this.#takes('}')) this.#fail('a comma or }');
  }

  #name(): string {
    const offset = this.#offset;
    const written = this.#take(string) ?? this.#fail('a name in quotes');
    // A name can be written with different escapes.
    const name = String(JSON.parse(written));
    if (name.length <= nameCharactersMax) return name;
    this.#offset = offset;
    return this.#fail(`a name of at most ${nameCharactersMax} characters`);
  }

  #elements(inner: Map<string, Place>): void {
    this.#space();
    if (this.#takes(']')) return;
    let index = 0;
    do {
      this.#space();
      const name = String(index++);
      this.#path.push(name);
      this.#innerValue(inner, name, this.#offset);
      this.#space();
    } while (this.#takes(','));
    if (!this.#takes(']')) this.#fail('a comma or ]');
  }

  /** Reads the value of the last name in the path, and removes the name. Of a key that occurs twice the last counts. */
  #innerValue(inner: Map<string, Place>, key: string, name: number): void {
    const place = { name, value: this.#offset, inner: new Map() };
    inner.set(key, place);
    this.#value(place);
    this.#path.pop();
  }

  #takes(mark: string): boolean {
    if (this.#text[this.#offset] !== mark) return false;
    this.#offset++;
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const [found] = pattern.exec(this.#text) ?? [];
    this.#offset += found?.length ?? 0;
    return found;
  }

  #space(): void {
    this.#take(space);
  }

  #fail(expected: string): never {
    throw new NoJson(this.#offset, expected);
  }
}

function lineBeginnings(text: string): readonly number[] {
  const beginnings = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) beginnings.push(at + 1);
  return beginnings;
}

/** A configuration has five levels. */
const depthMax = 64;
/** A configuration with a thousand wallets has fewer values. */
const valuesMax = 20_000;
/** No name of a setting has more than thirty characters; names that a shop chooses are limited by their schema. */
const nameCharactersMax = 256;

// RFC 8259.
const space = /[\t\n\r ]*/y;
const characters = String.raw`"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\u0000-\u001f]*)*"`;
const string = new RegExp(characters, 'y');
const scalar = new RegExp(`${characters}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`, 'y');

class NoJson extends Error {
  readonly offset: number;
  readonly expected: string;

  constructor(offset: number, expected: string) {
    super(`expected ${expected}`);
    this.offset = offset;
    this.expected = expected;
  }
}
