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
    from: '(pair ? [pair] : this.#keys.recent)',
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
    name: 'the key of another generation judges an answer',
    file: 'src/hosts/iso8583/message-macs.ts',
    from: '(pair ? [pair] : this.#keys.recent)',
    to: '(pair ? [pair, ...this.#keys.recent] : this.#keys.recent)',
  },
  {
    name: 'a host that has lost the key and is silent keeps being sent messages under it',
    file: 'src/hosts/iso8583/session-keys.ts',
    from: 'if (this.#unanswered >= unansweredMax) this.doubt();',
    to: '',
  },
];
