import type { Bug } from '../bug.ts';

const thread = 'drivers/card-reader/thread';
const test = 'test/drivers/card-reader/thread/threaded-reader.test.ts';

/** Bugs of a card between the reader's thread and the payment. */
export const readerBugs: readonly Bug[] = [
  {
    name: 'a card that crossed with its cancel is taken all the same',
    test,
    file: `${thread}/threaded-reader.ts`,
    from: "if (!signal.aborted || (sent.kind !== 'card' && sent.kind !== 'pin')) return receive(sent);",
    to: "if (!signal.aborted || sent.kind !== 'pin') return receive(sent);",
  },
  {
    name: 'a cancel is told before the reader has let the card go',
    test,
    file: `${thread}/threaded-reader.ts`,
    from: '      await released;\n',
    to: '',
  },
  {
    name: 'a chip whose payment was cancelled waits on in the reader',
    test,
    file: `${thread}/reader-worker.ts`,
    from: 'if (this.#held?.call === call) {',
    to: 'if (this.#held?.call === -call) {',
  },
  {
    name: 'card data stays where it was packed',
    test: 'test/drivers/card-reader/thread/crossing.test.ts',
    file: `${thread}/crossing.ts`,
    from: '    value.fill(0);\n',
    to: '',
  },
  {
    name: 'a device that floods the reader’s port takes the main thread',
    test: 'test/drivers/transport/hid.test.ts',
    file: 'drivers/transport/hid.ts',
    from: 'return this.#received.count > receivedReportsMax;',
    to: 'return this.#received.count < 0;',
  },
  {
    name: 'each head of a frame within a damaged one is computed over the whole length that it announces',
    test: 'test/drivers/card-reader/neo2/hostile-frames.test.ts',
    file: 'drivers/card-reader/neo2/frame.ts',
    from: 'return crcOfPart(before, after, length) ===',
    to: 'return before + after >= 0 && crc16(this.#buffer.subarray(this.#start, this.#start + length)) ===',
  },
];
