import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { codeOf, CodeLines } from '../../../drivers/scanner/line/code-lines.ts';
import { walletOfCode } from '../../../src/codecs/qr/wallet-code.ts';
import { wallets } from '../../support/wallets.ts';
import { binaryTokens, fixture, hex, type Json } from '../material.ts';
import { hostile } from '../mutation.ts';
import type { Target } from '../target.ts';
import { pieces } from './neo2.ts';

const lines: Uint8Array[] = fixture('frames/scanner').lines.map((each: Json) => hex(each.hex));

export const scannerLines: Target = {
  name: 'scanner-lines',
  share: 4,
  inputs: hostile({ seeds: lines, tokens: [...binaryTokens, ...['0D', '0A', '0D0A', '0A0D', '0A0A'].map(hex)] }),
  async check(input) {
    const whole = await read([input]);
    assert.deepEqual(await read(pieces(input, 7)), whole, 'split otherwise, read otherwise');
    const ends = input.filter((byte) => byte === 0x0d || byte === 0x0a).length;
    assert.ok(whole.length <= ends, 'a line that did not end');
    for (const line of whole) {
      assert.ok(line.length <= 513, 'a line of any length');
      const code = codeOf(line);
      if (code === undefined) continue;
      assert.match(code, /^[\x20-\x7e]{1,512}$/);
      walletOfCode(
        code,
        wallets.map((each) => each.codes),
      );
    }
  },
};

async function read(chunks: readonly Uint8Array[]): Promise<string[]> {
  const found: string[] = [];
  const reader = new CodeLines(false, (line) => found.push(line));
  for (const chunk of chunks) reader.push(chunk);
  // The parser is a stream: it tells its lines in the next round.
  await turn();
  return found;
}
