import type { Bug } from '../bug.ts';

/** Bugs of the keys between terminal and card host. */
export const keyBugs: readonly Bug[] = [
  {
    name: 'the check value of a working key is not verified',
    test: 'test/hosts/iso8583/session-keys.test.ts',
    file: 'src/hosts/iso8583/session-keys.ts',
    from: 'if (!hasCheckValue(algorithm, key, expected)) return false;',
    to: 'hasCheckValue(algorithm, key, expected);',
  },
  {
    name: 'an answer is accepted under another key than that of its request',
    test: 'test/hosts/iso8583/session-keys.test.ts',
    file: 'src/hosts/iso8583/message-macs.ts',
    from: '(pairs ?? this.#keys.recent)',
    to: 'this.#keys.recent',
  },
  {
    name: 'the former key is accepted for ever',
    test: 'test/hosts/iso8583/session-keys.test.ts',
    file: 'src/hosts/iso8583/session-keys.ts',
    from: 'this.#options.clock.elapsedMs() < this.#former.untilMs',
    to: 'this.#former.untilMs > 0',
  },
  {
    name: 'a working key is replaced under a sale that is in flight',
    test: 'test/hosts/iso8583/session-keys.test.ts',
    file: 'src/hosts/iso8583/network.ts',
    from: '(keys.isOld || keys.isMissing) && link.isIdle',
    to: '(keys.isOld || keys.isMissing)',
  },
  {
    name: 'a counter is written after its key was used',
    test: 'test/hosts/key-counters/key-counter-file.test.ts',
    file: 'src/hosts/key-counters/reserved-counter.ts',
    from: 'if (next > this.#reserved) return this.#takeReserved();',
    to: 'if (next > this.#reserved) void this.#reserve();',
  },
  {
    name: 'a counter is written to the file alone, so that an older copy of it is not noticed',
    test: 'test/hosts/key-counters/key-counter-file.test.ts',
    file: 'src/hosts/key-counters/key-counter-file.ts',
    from: 'await this.#journal.noteKeyCounter(name, reserved);',
    to: '',
  },
  {
    name: 'a counter continues from an older copy of its file',
    test: 'test/hosts/key-counters/key-counter-file.test.ts',
    file: 'src/hosts/key-counters/key-counter-file.ts',
    from: "return journalled !== undefined && journalled > entry.reserved ? 'keyCounterBehind' : undefined;",
    to: 'return undefined;',
    also: {
      file: 'src/hosts/key-counters/key-counter-file.ts',
      from: 'const used = Math.max(configured, most);',
      to: 'const used = Math.max(configured, entry?.reserved ?? 0);',
    },
  },
  {
    name: 'a counter of a restored directory is used once the operator has compared the books',
    test: 'test/hosts/key-counters/key-counter-file.test.ts',
    file: 'src/hosts/key-counters/key-counter-file.ts',
    from: "if (entry.isDoubtful) return 'keyCounterRestored';",
    to: "if (entry.isDoubtful && isCopy) return 'keyCounterRestored';",
  },
  {
    name: 'the answer is judged by the key of the request',
    test: 'test/hosts/iso8583/dukpt-keys.test.ts',
    file: 'src/codecs/iso8583/dukpt.ts',
    from: 'const [request, answer] = [xor(key, variants.request), xor(key, variants.answer)];',
    to: 'const [request, answer] = [xor(key, variants.request), xor(key, variants.request)];',
  },
  {
    name: 'the late answer to a reversal is taken for the answer to its repeat',
    test: 'test/hosts/iso8583/dukpt-keys.test.ts',
    file: 'src/hosts/iso8583/link.ts',
    from: "return code === 'wrong' ? 'none' : 'other';",
    to: "return code === 'wrong' ? 'none' : 'request';",
  },
  {
    name: 'the key of another generation judges an answer',
    file: 'src/hosts/iso8583/message-macs.ts',
    from: '(pairs ?? this.#keys.recent).some(',
    to: '[...(pairs ?? []), ...this.#keys.recent].some(',
  },
  {
    name: 'a host that has lost the key and is silent keeps being sent messages under it',
    file: 'src/hosts/iso8583/session-keys.ts',
    from: 'if (this.#unanswered >= unansweredMax) this.doubt();',
    to: '',
  },
];
