/** A data object, its children instead of a value where it is constructed. */
export interface Node {
  /** Upper-case hex. */
  readonly tag: string;
  readonly content: Buffer | readonly Node[];
  /** Bytes of its length field, 1 to 4; shorter than needed is never drawn. */
  readonly lengthBytes: number;
}

/** Whole numbers from 0 to below `limit`. */
type Draw = (limit: number) => number;

/** Some objects side by side, at most `depthLeft` levels deep. */
export function drawnForest(draw: Draw, depthLeft: number): Node[] {
  return Array.from({ length: 1 + draw(4) }, () => drawnNode(draw, depthLeft));
}

function drawnNode(draw: Draw, depthLeft: number): Node {
  const constructed = depthLeft > 1 && draw(3) === 0;
  const content = constructed ? drawnForest(draw, depthLeft - 1) : drawnValue(draw);
  const needed = shortestLength(sizeOf(content)).length;
  return { tag: drawnTag(draw, constructed), content, lengthBytes: draw(5) === 0 ? Math.min(4, needed + 1) : needed };
}

function drawnValue(draw: Draw): Buffer {
  const lengths = [0, 1, draw(20), 127, 128, 255, 256, draw(700)];
  const length = lengths[draw(lengths.length)] ?? 0;
  return Buffer.from(Array.from({ length }, () => draw(256)));
}

/** Of one to four bytes: ISO/IEC 8825-1, 8.1.2. */
function drawnTag(draw: Draw, constructed: boolean): string {
  const lead = (draw(4) << 6) | (constructed ? 0x20 : 0);
  const count = draw(4);
  if (count === 0) return hex(Buffer.of(lead | (1 + draw(30))));
  const number = Array.from({ length: count }, (_, at) => (at < count - 1 ? 0x81 + draw(127) : draw(128)));
  // One byte of a long tag may be zero, but a number of several does not begin with seven zero bits.
  return hex(Buffer.of(lead | 0x1f, ...number));
}

export function encoded(nodes: readonly Node[]): Buffer {
  return Buffer.concat(nodes.map((node) => headed(node, sizeOf(node.content))));
}

/** The same, but the object at `path` says that it is one byte longer than it is; those around it say what they did. */
export function overrun(nodes: readonly Node[], path: readonly number[]): Buffer {
  const [at = 0, ...inner] = path;
  return Buffer.concat(
    nodes.map((node, index) => {
      if (index !== at) return headed(node, sizeOf(node.content));
      if (inner.length === 0) return headed(node, sizeOf(node.content) + 1);
      const content = overrun(node.content as readonly Node[], inner);
      return headed({ ...node, content }, content.length);
    }),
  );
}

/** Where every object is that is the last of what it stands in: nothing is behind it that it could take. */
export function lastPaths(nodes: readonly Node[]): number[][] {
  const paths = nodes.flatMap(({ content }, at) =>
    Buffer.isBuffer(content) ? [] : lastPaths(content).map((inner) => [at, ...inner]),
  );
  return [...paths, [nodes.length - 1]];
}

function headed({ tag, content, lengthBytes }: Node, size: number): Buffer {
  const body = Buffer.isBuffer(content) ? content : encoded(content);
  const shortest = shortestLength(size);
  const length =
    shortest.length >= lengthBytes
      ? shortest
      : Buffer.concat([
          Buffer.of(0x80 | (lengthBytes - 1)),
          Buffer.from(size.toString(16).padStart(2 * (lengthBytes - 1), '0'), 'hex'),
        ]);
  return Buffer.concat([Buffer.from(tag, 'hex'), length, body]);
}

function sizeOf(content: Node['content']): number {
  return Buffer.isBuffer(content) ? content.length : encoded(content).length;
}

function shortestLength(size: number): Buffer {
  if (size < 128) return Buffer.of(size);
  const digits = size.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase();
}
