import type { Bug } from '../bug.ts';

/** Bugs of calls that come through a broker, which is not to be trusted. */
export const cloudBugs: readonly Bug[] = [
  {
    name: 'a call that the broker held back begins a payment after its time',
    file: 'src/payment/terminal/order-of.ts',
    from: 'if (now < expiresAt) return undefined;',
    to: 'if (expiresAt) return undefined;',
    also: {
      file: 'src/pos/pairing/request-authenticator.ts',
      from: "if (expiresS < nowS) return 'expires is over';",
      to: '',
    },
  },
  {
    name: 'a call that the broker has retained is carried out at the next connection',
    file: 'src/pos/cloud/calls.ts',
    from: 'expiryS > expirySMax || message.retain ||',
    to: 'expiryS > expirySMax ||',
    also: {
      file: 'src/pos/cloud/connection.ts',
      from: 'if (heard && !(heard.options.skipsRetained && message.retain)) heard.hear(message);',
      to: 'if (heard) heard.hear(message);',
    },
  },
  {
    name: 'an answer goes to whatever topic of the terminal its call names',
    file: 'src/pos/cloud/calls.ts',
    from: 'if (!answerTopic.test(topic) || ',
    to: "if (topic === '' || ",
  },
  {
    name: 'the body of a call is not what its signature covers',
    file: 'src/pos/pairing/request-authenticator.ts',
    from: "if (!hasOwnDigest(call, signature)) return no('Content-Digest is not the sha-256 of this body');",
    to: '',
  },
  {
    name: 'a till is told "not done" of a signed request that may be on its way',
    file: 'src/pos/client/client.ts',
    from: 'const overAt = key ?',
    to: 'const overAt = false ?',
    test: 'test/pos/client/signed-outcome.test.ts',
  },
  {
    name: 'a till is told "not done" of an unsigned request that a relay may still hold',
    file: 'src/pos/client/client.ts',
    from: '+ overMs : Infinity;',
    to: '+ overMs : 0;',
    test: 'test/pos/client/client.test.ts',
  },
  {
    name: 'a call of a till that sends again is over as if it had sent once',
    file: 'src/pos/client/client.ts',
    from: 'Math.min(calledAt.getTime() + sendsMs, now)',
    to: 'calledAt.getTime()',
    test: 'test/pos/client/signed-outcome.test.ts',
  },
  {
    name: 'what was voided is told as paid',
    file: 'src/pos/client/client.ts',
    from: "isUndone(answer) ? 'undone' : 'done'",
    to: "'done'",
    test: 'test/pos/client/client.test.ts',
  },
  {
    name: 'a broker ends a till by an answer that is none',
    file: 'src/pos/client/mqtt-fetch.ts',
    from: '    // A status or a header that there is not.\n    return undefined;',
    to: "    throw new Error('no answer');",
    test: 'test/pos/client/mqtt-fetch.test.ts',
  },
  {
    name: 'two changes of the paired keys at one time lose one of them',
    file: 'src/pos/pairing/paired-keys.ts',
    from: 'const changed = this.#turn.then(async () => {',
    to: 'const changed = Promise.resolve().then(async () => {',
    test: 'test/pos/pairing/paired-keys.test.ts',
  },
  {
    name: 'an older call for a key takes the place of a newer one’s',
    file: 'src/pos/pairing/paired-keys.ts',
    from: 'const following = [added, ...(present?.following ?? [])]',
    to: 'const following = [added]',
    test: 'test/pos/pairing/paired-keys.test.ts',
  },
  {
    name: 'a key that is agreed on while its pairing is revoked brings it back',
    file: 'src/pos/pairing/paired-keys.ts',
    from: 'return keys.filter((each) => !revoked.has(pairingOf(each)));',
    to: 'return keys.filter((each) => !revoked.has(each.keyId));',
    test: 'test/pos/pairing/paired-keys.test.ts',
  },
];
