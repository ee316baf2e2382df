import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeTlv, parseTlv, TlvError, walkTlv } from '../../../src/codecs/emv/tlv.ts';
import { seed, whole } from '../../base/domain/random.ts';
import { drawnForest, encoded, lastPaths, overrun, type Node } from './tlv-tree.ts';

const trees = 400;
const levels = 5;

function forests(
  t: { diagnostic(message: string): void },
  count = trees,
): { readonly nodes: Node[]; readonly bytes: Buffer }[] {
  t.diagnostic(`POID_SEED=${seed}`);
  const draw = whole(seed);
  const found: { nodes: Node[]; bytes: Buffer }[] = [];
  while (found.length < count) {
    const nodes = drawnForest(draw, levels);
    const bytes = encoded(nodes);
    // Larger ones are refused, as the last test shows.
    if (bytes.length <= 0xffff && flat(nodes).length <= 512) found.push({ nodes, bytes });
  }
  return found;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

function flat(nodes: readonly Node[], depth = 0): string[] {
  return nodes.flatMap(({ tag, content }) =>
    Buffer.isBuffer(content)
      ? [`${depth} ${tag} ${hex(content)}`]
      : [`${depth} ${tag} ${hex(encoded(content))}`, ...flat(content, depth + 1)],
  );
}

function walked(bytes: Uint8Array): string[] {
  return [...walkTlv(bytes)].map(({ tag, value, depth }) => `${depth} ${tag} ${hex(value)}`);
}

function refused(bytes: Uint8Array, what: string): void {
  assert.throws(() => [...walkTlv(bytes)], TlvError, `${what}: ${hex(bytes)}`);
}

test('every tree is decoded to itself, and every object is where it says', (t) => {
  for (const { nodes, bytes } of forests(t)) {
    assert.deepEqual(walked(bytes), flat(nodes));
    for (const { tag, offset } of walkTlv(bytes)) {
      assert.equal(hex(bytes.subarray(offset, offset + tag.length / 2)), tag.toLowerCase());
    }
  }
});

test('what is encoded is what another encoder makes of it, where lengths are the shortest', (t) => {
  for (const { nodes } of forests(t)) {
    const plain = nodes.map((node) => ({ ...node, lengthBytes: 1 }));
    const objects = parseTlv(encoded(plain)).map(({ tag, value }) => [tag, value] as const);
    assert.equal(hex(encodeTlv(objects)), hex(encoded(plain)));
  }
});

test('every truncation is refused', (t) => {
  for (const { nodes, bytes } of forests(t, 100)) {
    // Between two objects at the top nothing is cut.
    const whole = new Set(nodes.map((_, count) => encoded(nodes.slice(0, count)).length));
    for (let length = 1; length < bytes.length; length++) {
      if (!whole.has(length)) refused(bytes.subarray(0, length), `${length} of ${bytes.length} bytes`);
    }
  }
});

test('a length that is one too long for what the object stands in is refused, at every depth', (t) => {
  let deepest = 0;
  for (const { nodes } of forests(t)) {
    for (const path of lastPaths(nodes)) {
      refused(overrun(nodes, path), `at ${path.join('.')}`);
      deepest = Math.max(deepest, path.length);
    }
  }
  assert.ok(deepest >= 4, `only ${deepest} levels were drawn`);
});

test('any bytes end in objects within their bounds, or in a TlvError', (t) => {
  t.diagnostic(`POID_SEED=${seed}`);
  const draw = whole(seed);
  for (let round = 0; round < 20_000; round++) {
    const bytes = Uint8Array.from({ length: draw(60) }, () =>
      draw(4) === 0 ? (draw(2) === 0 ? 0xff : 0x3f) : draw(256),
    );
    try {
      for (const { value, offset } of walkTlv(bytes)) assert.ok(offset + 2 + value.length <= bytes.length);
    } catch (error) {
      assert.ok(error instanceof TlvError, String(error));
      assert.ok(error.offset >= 0 && error.offset <= bytes.length);
    }
  }
});

test('no depth, count or length takes more than its bound', () => {
  const nested = (depth: number) => {
    let bytes: Buffer = Buffer.alloc(0);
    for (let level = 0; level < depth; level++) bytes = encoded([{ tag: 'E1', content: bytes, lengthBytes: 1 }]);
    return bytes;
  };
  assert.equal([...walkTlv(nested(7))].length, 7);
  for (const depth of [9, 100, 10_000]) refused(nested(depth), `${depth} levels`);
  // Counted over all levels: a few containers hold many.
  const crowd = (count: number): Node => ({
    tag: 'E1',
    content: Array.from({ length: count }, () => ({ tag: '9C', content: Buffer.alloc(0), lengthBytes: 1 })),
    lengthBytes: 1,
  });
  assert.equal([...walkTlv(encoded([crowd(255), crowd(255)]))].length, 512);
  refused(encoded([crowd(255), crowd(256)]), '513 objects');
  refused(Buffer.concat([Buffer.from('9C83010000', 'hex'), Buffer.alloc(0x10000)]), '65,536 bytes');
  refused(Buffer.from('9C8400000001AA', 'hex'), 'a length of four bytes');
});
