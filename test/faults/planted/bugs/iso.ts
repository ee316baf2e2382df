import type { Bug } from '../bug.ts';

/** Bugs on the way to a card host. */
export const isoBugs: readonly Bug[] = [
  {
    name: 'the authentication code of an answer is not checked',
    file: 'src/hosts/iso8583/message-macs.ts',
    from: "return isRight ? 'right' : 'wrong';",
    to: "return isRight || true ? 'right' : 'wrong';",
  },
  {
    name: 'an authentication code is over other fields than agreed',
    test: 'test/hosts/iso8583/message-macs.test.ts',
    file: 'src/hosts/iso8583/message-macs.ts',
    from: "if (over === 'message') return before;",
    to: 'if (true) return before;',
  },
  {
    name: 'the sign-on is forgotten after a broken line',
    test: 'test/hosts/iso8583/sign-on.test.ts',
    file: 'src/hosts/iso8583/link.ts',
    from: 'if (socket && onBegin && !(',
    to: "if (socket && onBegin && this.#state === 'idle' && !(",
  },
  {
    name: 'an answer may leave its authentication code out',
    file: 'src/hosts/iso8583/message-macs.ts',
    from: "if (!place) return this.#has(mti) ? 'wrong' : 'none';",
    to: "if (!place) return 'none';",
  },
  {
    name: 'a late answer about a number of another life stops every late answer after it',
    test: 'test/payment/terminal/late-answers.test.ts',
    file: 'src/methods/card/late-answer.ts',
    from: '  if (record.numberTaken) return judgeTakenNumber(record, answer);\n',
    to: '',
  },
  {
    name: 'that the host approved a number that it had said to have is thrown away',
    test: 'test/payment/terminal/late-answers.test.ts',
    file: 'src/methods/card/late-answer.ts',
    from: 'if (record.numberTaken) return judgeTakenNumber(record, answer);',
    to: 'if (record.numberTaken) return undefined;',
  },
  {
    name: 'the late approval of an earlier try is thrown away',
    file: 'src/methods/card/late-answers.ts',
    from: 'if (declined) return this.#takeBackTry(record, declined, answer);',
    to: 'if (declined) return;',
  },
  {
    name: 'what the host could not decide is taken for declined',
    file: 'src/methods/card/online.ts',
    from: "if (outcome.kind === 'declined' && outcome.undecided) return reverseUndecided(order, outcome, journal);",
    to: '',
  },
  {
    name: 'a request that the host has already is taken for refused',
    file: 'src/hosts/iso8583/answer.ts',
    from: "if (dialect.codes.duplicate.includes(code)) return { kind: 'unknown', reason: 'duplicate', responseCode: code };",
    to: '',
  },
  {
    name: 'an answer is taken whatever its trace number',
    file: 'src/hosts/iso8583/link.ts',
    from: 'always.map((field) =>',
    to: 'always.filter((field) => field !== 11).map((field) =>',
  },
  {
    name: 'a lost connection means that nothing was sent',
    file: 'src/hosts/iso8583/link.ts',
    from: "for (const { finish } of this.#inFlight.values()) finish({ kind: 'unknown', reason });",
    to: "for (const { finish } of this.#inFlight.values()) finish(reason === 'link-closed' ? { kind: 'notSent' } : { kind: 'unknown', reason });",
  },
  {
    name: 'an advice that its host posts with another code than 00 is taken for rejected',
    file: 'src/hosts/iso8583/answer.ts',
    from: 'if (codes.approved.includes(code) || (isDuplicate && repeat)) {',
    to: "if (code === '00' || (isDuplicate && repeat)) {",
  },
  {
    name: 'a repeated advice that its host has already is repeated for ever',
    test: 'test/hosts/iso8583/advice.test.ts',
    file: 'src/hosts/iso8583/answer.ts',
    from: 'if (codes.approved.includes(code) || (isDuplicate && repeat)) {',
    to: 'if (codes.approved.includes(code)) {',
  },
  {
    name: 'a keep-alive of the host ends the connection with the answer on it',
    file: 'src/codecs/iso8583/frame.ts',
    from: 'if (length === 0) this.#keepAlives++;\n    else if (length < contentBytesMin)',
    to: 'if (length < contentBytesMin)',
  },
];
