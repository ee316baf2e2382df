import assert from 'node:assert/strict';
import { PrinterConnection } from '../../../drivers/printer/escpos/connection.ts';
import { isStatusAnswer, printerStatus } from '../../../drivers/printer/escpos/status.ts';
import { hex } from '../material.ts';
import { hostile } from '../mutation.ts';
import type { Target } from '../target.ts';

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
    // Two rounds of three questions: a printer that gives no cause for being offline is asked again.
    seeds: [hex('121212121212'), hex('1A1212121212'), hex('1A12121A3612'), hex('123612121212'), hex('121272121212')],
    tokens: ['11', '13', '12', '10'].map(hex),
  }),
  async check(input) {
    // Whatever a printer sends at each of six questions, whole: six bytes of it at most are answers.
    const sixth = Math.ceil(input.length / 6);
    const sent = Array.from({ length: 6 }, (_, at) => input.subarray(sixth * at, sixth * (at + 1)));
    let asked = 0;
    const connection: PrinterConnection = new PrinterConnection(
      { ...transport, write: async () => connection.receive(sent[asked++] ?? new Uint8Array()) },
      clock,
      1,
    );
    const status = connection.status();
    const rounds = [sent.slice(0, 3), sent.slice(3)].map((round) => round.map((bytes) => bytes.find(isStatusAnswer)));
    const needed = isOfflineWithoutCause(rounds[0]) ? rounds[1] : rounds[0];
    if (needed?.every((byte) => byte !== undefined)) {
      const [printer = 0, offlineCause = 0, paper = 0] = needed;
      const reported = await status;
      assert.deepEqual(reported, printerStatus({ printer, offlineCause, paper }));
      assert.ok(['cover-open', 'paper-out', 'error', undefined].includes(reported?.fault));
      // Fails safe: a fault is never lost.
      if ((printer & 0x08) !== 0) assert.ok(reported?.fault, 'offline, and no fault is reported');
    } else {
      connection.end();
      assert.equal(await status, undefined);
    }
  },
};

/** Whether the printer said that it is offline or waits, and named neither cover, paper nor error (TM-U220 p.54). */
function isOfflineWithoutCause(answers: readonly (number | undefined)[] = []): boolean {
  const [printer, offlineCause, paper] = answers;
  if (printer === undefined || offlineCause === undefined || paper === undefined) return false;
  return (printer & 0x28) !== 0 && (offlineCause & 0x64) === 0 && (paper & 0x60) === 0;
}
