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
];
