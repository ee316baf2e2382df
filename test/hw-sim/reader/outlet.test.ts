import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outlet } from '../../../hw-sim/reader/outlet.ts';

function outlet(): { readonly made: Outlet; readonly sent: string[] } {
  const sent: string[] = [];
  const spoilage = { garbage: Buffer.from('?'), garbled: () => Buffer.from('!') };
  return { made: new Outlet((bytes) => void sent.push(bytes.toString()), spoilage), sent };
}

test('a fault aimed at the third frame strikes that one, once', () => {
  const { made, sent } = outlet();
  made.spoil({ dropNext: true, atFrame: 3 });
  for (const frame of ['1', '2', '3', '4']) made.send(Buffer.from(frame));
  assert.deepEqual(sent, ['1', '2', '4']);
});

test('without a number it is the next', () => {
  const { made, sent } = outlet();
  made.spoil({ garble: true, garbageBefore: true });
  for (const frame of ['1', '2']) made.send(Buffer.from(frame));
  assert.deepEqual(sent, ['?!', '2']);
});
