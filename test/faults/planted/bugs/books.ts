import type { Bug } from '../bug.ts';

/** Bugs of what a chain's books are told. */
export const bookBugs: readonly Bug[] = [
  {
    name: 'the books are not told which message came before',
    file: 'src/cloud/books/book-message.ts',
    from: 'const message = { stream, seq, after, kind,',
    to: 'const message = { stream, seq, after: 0 * after, kind,',
  },
  {
    name: 'a journal that was put back goes on in the books under its old name',
    file: 'src/cloud/books/outbox.ts',
    from: 'until < seq && !turn.signal.aborted && this.#leaveStream(seq)',
    to: 'until > seq && !turn.signal.aborted && this.#leaveStream(seq)',
    test: 'test/cloud/outbox.test.ts',
  },
  {
    name: 'the books are not told what a void has changed',
    file: 'src/api/books.ts',
    from: 'if (told) originals.push({ id: next, record: told.record });',
    to: '',
  },
  {
    name: 'the books are not sent again what nobody has acknowledged',
    file: 'src/cloud/books/unacknowledged.ts',
    from: 'this.#onSilence();',
    to: '',
    also: {
      file: 'src/cloud/books/outbox.ts',
      from: 'if (isBehind || heard.again) return this.#rewind();',
      to: '',
    },
  },
  {
    name: 'an acknowledgement that the broker has made up is believed at the next connect',
    file: 'src/cloud/books/outbox.ts',
    from: 'return Math.max((this.#acked ?? 0) - 1, 0);',
    to: 'return this.#acked ?? 0;',
    test: 'test/cloud/outbox.test.ts',
  },
  {
    name: 'a terminal that has forgotten the last name of its journal goes on under the first',
    file: 'src/cloud/books/outbox.ts',
    from: 'if (isLaterName && (heard.again || !this.#left.has(heard.stream))) this.#stream = heard.stream;',
    to: '',
    test: 'test/cloud/outbox.test.ts',
  },
  {
    name: 'a terminal never goes back to a name that it has left, though the sink holds it for the last',
    file: 'src/cloud/books/outbox.ts',
    from: '(heard.again || !this.#left.has(heard.stream))',
    to: '!this.#left.has(heard.stream)',
    test: 'test/cloud/outbox.test.ts',
  },
  {
    name: 'what the broker held back of a journal’s first name is the latest in the books',
    file: 'docs/examples/sink/schema.sql',
    from: "VALUES (own_terminal, split_part(m ->> 'stream', '.', 1)), (own_terminal, m ->> 'stream') ON CONFLICT DO NOTHING;",
    to: "VALUES (own_terminal, m ->> 'stream') ON CONFLICT DO NOTHING;",
    test: 'test/cloud/sink.long.ts',
  },
  {
    name: 'the books lose the tip of a sale that is refunded in part',
    file: 'docs/examples/sink/schema.sql',
    from: "IN ('ADJUSTED', 'REFUNDED')",
    to: "= 'ADJUSTED'",
    test: 'test/cloud/reconciliation.long.ts',
  },
  {
    name: 'the books count what two terminals tell twice',
    file: 'docs/examples/sink/schema.sql',
    from: 'first.id = own.id AND first.ordinal < own.ordinal',
    to: 'false',
    test: 'test/cloud/reconciliation.long.ts',
  },
  {
    name: 'the books are reconciled without the kind of a transaction',
    file: 'docs/examples/sink/schema.sql',
    from: "'type', nullif(type, ''), ",
    to: '',
    test: 'test/cloud/sink.long.ts',
  },
  {
    name: 'the sink ends by a message that is too long or too deep for its database',
    file: 'docs/examples/sink/sink.mjs',
    from: '(22|23|54)',
    to: '(22|23)',
    test: 'test/cloud/sink-refusals.long.ts',
  },
  {
    name: 'what someone else has told stays in the books though the terminal tells it anew',
    file: 'docs/examples/sink/schema.sql',
    from: 'UPDATE books.entry AS e SET life = 0 WHERE e.terminal = own_terminal;',
    to: '',
    test: 'test/cloud/sink.long.ts',
  },
];
