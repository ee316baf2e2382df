import assert from 'node:assert/strict';
import { PrinterConnection } from '../../../drivers/printer/escpos/connection.ts';
import { isStatusAnswer, printerStatus } from '../../../drivers/printer/escpos/status.ts';
import { hex } from '../material.ts';
import { hostile } from '../mutation.ts';
import type { Target } from '../target.ts';

const healthy = hex('121212');
const transport = {
  path: 'fuzz',
  state: 'ready',
  onState: () => () => undefined,
  onData: () => () => undefined,
  close: async () => undefined,
} as const;
const clock = { now: () => new Date(0), setTimeout: () => undefined, clearTimeout: () => undefined };

export const printerAnswers: Target = {
  name: 'printer-status',
  share: 4,
  inputs: hostile({
    seeds: [healthy, hex('1A1212'), hex('123612'), hex('121272')],
    tokens: ['11', '13', '12', '10'].map(hex),
  }),
  async check(input) {
    // Whatever a printer sends at each of three questions, whole: three bytes of it at most are answers.
    const third = Math.ceil(input.length / 3);
    let asked = 0;
    const connection: PrinterConnection = new PrinterConnection(
      { ...transport, write: async () => connection.receive(input.subarray(third * asked, third * ++asked)) },
      clock,
      1,
    );
    const status = connection.status();
    const answers = [0, 1, 2].map((at) => input.subarray(third * at, third * (at + 1)).find(isStatusAnswer));
    if (answers.every((byte) => byte !== undefined)) {
      const [printer = 0, offlineCause = 0, paper = 0] = answers;
      const told = await status;
      assert.deepEqual(told, printerStatus({ printer, offlineCause, paper }));
      assert.ok(['cover-open', 'paper-out', 'error', undefined].includes(told?.fault));
      // Fails safe: a fault is never overheard.
      if ((printer & 0x08) !== 0) assert.ok(told?.fault, 'offline, and nothing is said of it');
    } else {
      connection.end();
      assert.equal(await status, undefined);
    }
  },
};
