import type { Bug } from '../bug.ts';

/** Bugs of the state directory: lost, replaced, an older copy put back. */
export const journalBugs: readonly Bug[] = [
  {
    name: 'a new journal begins its numbers at 1, where the one that was lost began too',
    file: 'src/journal/numbers.ts',
    from: '(bytes.readUIntBE(at, 6) % numberMax) + 1',
    to: 'bytes.readUIntBE(at, 6) * 0 + 1',
  },
  {
    name: 'a journal that was unlinked or replaced while it was in use is written on: intents leave, and the next start knows none',
    test: 'test/journal/files.test.ts',
    file: 'src/journal/files.ts',
    from: 'if (!isSame(database, this.#database) || !isSame(log, this.#log)) throw gone();',
    to: 'if (database === null || log === null) throw gone();',
    also: {
      file: 'src/journal/files.ts',
      from: 'if (!isOwn) throw gone();',
      to: 'if (isOwn === undefined) throw gone();',
    },
  },
  {
    name: 'a copy that is written over the journal in use is not noticed',
    test: 'test/journal/files.test.ts',
    file: 'src/journal/files.ts',
    from: 'content: `${found.size} ${found.mtimeNs}`',
    to: "content: ''",
  },
  {
    name: 'a journal that others wrote to while it was in use is taken for the one that it was at the next start',
    test: 'test/journal/files.test.ts',
    file: 'src/journal/life.ts',
    from: 'found.replaced || found.starts > starts',
    to: 'found.starts > starts',
  },
  {
    name: 'the first number of a new journal that its host has already is reversed, and a sale of before is taken back',
    file: 'src/terminal/authorization/card.ts',
    from: 'if (isDuplicate && forwarder.numbers.isLacking(host.id)) return numberTaken(order, outcome, journal);',
    to: '',
  },
  {
    name: 'the first advice of a new journal whose number its host has already is taken for posted',
    file: 'src/terminal/forwarder.ts',
    from: "if (outcome.kind === 'refused' && outcome.isDuplicate && this.numbers.isLacking(host.id)) {",
    to: "if (outcome.kind === 'refused' && outcome.isDuplicate && id === '') {",
  },
  {
    name: 'after a number that its host had, a journal goes on with the one behind it',
    file: 'src/journal/store.ts',
    from: `          this.#moveOn(String(row['acquirer_id']) as AcquirerId);`,
    to: `          String(row['acquirer_id']);`,
  },
  {
    name: 'numbers go on where they stood at each start: a directory put back with its marker gives out those of earlier sales',
    test: 'test/journal/numbers.test.ts',
    file: 'src/journal/store.ts',
    from: 'else if (!this.#moved.has(acquirerId)) this.#moveOn(acquirerId);',
    to: '',
  },
  {
    name: 'an approval in hand when the state directory goes is neither told nor taken back',
    test: 'test/e2e/put-back.test.ts',
    file: 'src/daemon.ts',
    from: "if (error.code === 'gone') await takenBack(",
    to: "if (error.code === 'full') await takenBack(",
  },
  {
    name: 'a new journal says of what was paid before it that nothing was paid',
    test: 'test/e2e/put-back.test.ts',
    file: 'src/terminal/terminal.ts',
    from: 'agoMs < rememberedMs',
    to: 'agoMs < -rememberedMs',
  },
  {
    name: 'a new journal truncates the archive of the one that was lost',
    file: 'src/journal/archive.ts',
    from: 'if (size <= committed(file) || size === this.#written.get(file)) return file;',
    to: 'if (size >= 0) return file;',
  },
  {
    name: 'what the full disk could not take is told otherwise in the repeat',
    file: 'src/terminal/terminal.ts',
    from: 'return runs ? record : this.#recovery.toldOf(record);',
    to: 'return record;',
  },
  {
    name: 'an older copy that is put back goes on with the numbers and the batch that were given out since',
    file: 'src/journal/store.ts',
    from: 'if (isOther) this.#moveAway();',
    to: '',
  },
  {
    name: 'what was under way in an older copy is reversed, though it was told SUCCESS since',
    file: 'src/journal/store.ts',
    from: "for (const id of doubtful) this.#write(id, { kind: 'numberTaken' });",
    to: '',
  },
  {
    name: 'what an older copy has of its open batch is in no batch any more, and is never settled',
    file: 'src/journal/store.ts',
    from: "this.#settling.leave(acquirerId, batchNumber(row['batch']), at);",
    to: '',
  },
  {
    name: 'a journal that was cut off is not read through: a damaged page is met by the payment that needs it',
    file: 'src/journal/life.ts',
    from: 'found?.checkedAt !== undefined && !wasCut',
    to: 'found?.checkedAt !== undefined && (wasCut || !wasCut)',
  },
  {
    name: 'a journal that was found damaged is used on',
    file: 'src/journal/examiner.ts',
    from: 'if (isDamaged) this.#options.onDamage(error);',
    to: '',
  },
];
