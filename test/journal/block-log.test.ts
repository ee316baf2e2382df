import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Chance } from '../e2e/chance.ts';
import { BlockLog } from './block-log.ts';
import { CrashStates } from './crash-states.ts';

/** As drivers/md/dm-log-writes.c lays it out, sectors of 512 bytes; `data` is what an entry wrote. */
function logBytes(entries: readonly { sector: number; sectors: number; flags: number; data?: Buffer }[]): Buffer {
  const head = Buffer.alloc(512);
  head.write('7268737766736a00', 'hex');
  head.writeUInt8(1, 8);
  head.writeUInt8(0, 16);
  head.writeUInt16LE(512, 24);
  const parts = entries.map(({ sector, sectors, flags, data = Buffer.alloc(0) }) => {
    const entry = Buffer.alloc(512);
    entry.writeUInt32LE(sector, 0);
    entry.writeUInt32LE(sectors, 8);
    entry.writeUInt32LE(flags, 16);
    return Buffer.concat([entry, data]);
  });
  return Buffer.concat([head, ...parts]);
}

const write = (sector: number, sectors: number, fill: string) => ({
  sector,
  sectors,
  flags: 0,
  data: Buffer.alloc(512 * sectors, fill),
});
const flush = { sector: 0, sectors: 0, flags: 1 };

describe('the log of a block device', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'poid-log-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  function read(bytes: Buffer): BlockLog {
    const file = path.join(dir, 'log');
    writeFileSync(file, bytes);
    return new BlockLog(file);
  }

  test('is read entry by entry, without the one that is under way', () => {
    const whole = logBytes([write(4, 2, 'a'), flush, { sector: 4, sectors: 1, flags: 4 }, write(9, 8, 'b')]);
    const log = read(whole.subarray(0, -1));
    assert.deepEqual(log.entries, [
      { flushes: false, offset: 2_048, length: 1_024, dataAt: 1_024, end: 2_048 },
      { flushes: true, offset: 0, length: 0, dataAt: 2_560, end: 2_560 },
      { flushes: false, offset: 2_048, length: 512, end: 3_072 },
    ]);
    assert.deepEqual(
      log.entries.map((entry) => log.data(entry).toString('latin1')),
      ['a'.repeat(1_024), '', '\0'.repeat(512)],
    );
    log.close();
  });

  test('what is no such log, or has what QEMU does not write, is refused', () => {
    const bad = logBytes([]);
    bad.writeUInt8(0, 0);
    assert.throws(() => read(bad), /no log/);
    assert.throws(() => read(logBytes([{ sector: 0, sectors: 0, flags: 8 }])), /flags 8/);
    assert.throws(() => read(logBytes([{ ...write(1, 1, 'a'), flags: 1 }])), /a flush that writes/);
    const fewer = logBytes([flush]);
    fewer.writeUInt8(2, 16);
    assert.throws(() => read(fewer), /1 entries of 2/);
  });

  test('of a cut, what was flushed is there, and of the rest each part is kept and lost at times', () => {
    const log = read(logBytes([write(0, 1, 'a'), write(8, 1, 'b'), flush, write(8, 1, 'c'), write(16, 4, 'd')]));
    const base = path.join(dir, 'base');
    writeFileSync(base, Buffer.alloc(65_536, 'z'));
    const seen = new Set<string>();
    for (let seed = 0; seed < 200; seed++) {
      const states = new CrashStates(base, log, dir, new Chance(seed));
      const { unflushed, dropped, torn } = states.build(log.entries.length);
      const image = readFileSync(path.join(dir, 'crashed.img')).toString('latin1');
      assert.equal(image.length, 65_536);
      const sector = (at: number) => image[at * 512] ?? '';
      assert.equal(sector(0), 'a', `seed ${seed}`);
      assert.equal(sector(1), 'z');
      const fourth = [16, 17, 18, 19].map(sector).join('');
      const lost = [sector(8) === 'b', fourth === 'zzzz'].filter(Boolean).length;
      assert.deepEqual([unflushed, dropped, torn], [2, lost, Number(/zd|dz/.test(fourth))]);
      seen.add(sector(8) + fourth);
    }
    for (const state of ['cdddd', 'bdddd', 'czzzz', 'bzzzz']) assert.ok(seen.has(state), `never ${state}`);
    for (const torn of ['ddzz', 'zzdd', 'dzzz', 'zddd']) assert.ok(seen.has(`b${torn}`) || seen.has(`c${torn}`), torn);
    log.close();
  });
});
