/** Where something stands in a text: both count from 1, columns in UTF-16 units, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export type Path = readonly PropertyKey[];

/** Where the values of a JSON text stand, and what no value can tell: keys that stand twice, and where it is no JSON. */
export class JsonPlaces {
  /** The paths of keys that stand in their object a second time; JSON.parse would silently take the last one. */
  readonly twice: { readonly path: Path; readonly offset: number }[] = [];
  /** Where the text stops being JSON, and what should stand there. */
  readonly fault: { readonly offset: number; readonly expected: string } | undefined;
  readonly #text: string;
  readonly #names = new Map<string, number>();
  readonly #values = new Map<string, number>();
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
    try {
      this.#value([]);
      this.#space();
      if (this.#offset < text.length) this.#fail('the end');
    } catch (error) {
      if (!(error instanceof NoJson)) throw error;
      this.fault = { offset: error.offset, expected: error.expected };
    }
  }

  /** Where the name of this key stands; of an element, where it begins. */
  nameAt(path: Path): Position {
    return this.position(this.#names.get(idOf(path)) ?? this.#valueOffset(path));
  }

  /** Where this value stands. If it is missing: the innermost value around its place. */
  valueAt(path: Path): Position {
    return this.position(this.#valueOffset(path));
  }

  position(offset: number): Position {
    const before = this.#text.slice(0, offset);
    const line = before.split('\n').length;
    return { line, column: offset - before.lastIndexOf('\n') };
  }

  #valueOffset(path: Path): number {
    const offset = this.#values.get(idOf(path));
    return offset ?? (path.length === 0 ? 0 : this.#valueOffset(path.slice(0, -1)));
  }

  #value(path: Path): void {
    if (path.length > depthMax) this.#fail(`no more than ${depthMax} levels`);
    this.#space();
    this.#values.set(idOf(path), this.#offset);
    if (this.#takes('{')) this.#members(path);
    else if (this.#takes('[')) this.#elements(path);
    else if (this.#take(scalar) === undefined) this.#fail('a value');
  }

  #members(path: Path): void {
    const names = new Set<string>();
    this.#space();
    if (this.#takes('}')) return;
    do {
      this.#space();
      const offset = this.#offset;
      const written = this.#take(string) ?? this.#fail('a name in quotes');
      // Different escapes of one name are the same name.
      const name = String(JSON.parse(written));
      const own = [...path, name];
      if (names.has(name)) this.twice.push({ path: own, offset });
      names.add(name);
      this.#names.set(idOf(own), offset);
      this.#space();
      if (!this.#takes(':')) this.#fail('a colon');
      this.#value(own);
      this.#space();
    } while (this.#takes(','));
    if (!this.#takes('}')) this.#fail('a comma or }');
  }

  #elements(path: Path): void {
    this.#space();
    if (this.#takes(']')) return;
    let index = 0;
    do {
      this.#value([...path, index++]);
      this.#space();
    } while (this.#takes(','));
    if (!this.#takes(']')) this.#fail('a comma or ]');
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

/** A configuration has five levels. */
const depthMax = 64;

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

function idOf(path: Path): string {
  return JSON.stringify(path.map(String));
}
