import type { Bug } from '../bug.ts';

const refusal = {
  file: 'src/pos/api/access.ts',
  from: 'return this.#origins.has(origin) ? undefined : refusals.origin;',
  to: 'return undefined;',
};

/** Bugs of which web pages may call. */
export const originsBugs: readonly Bug[] = [
  {
    name: 'the page of any origin may call: its POST starts a payment',
    test: 'test/pos/api/access.test.ts',
    ...refusal,
  },
  {
    name: 'the page of any origin may call and read the answers: its origin is reflected',
    test: 'test/pos/api/access.test.ts',
    ...refusal,
    also: {
      file: 'src/pos/api/access.ts',
      from: 'if (origin === undefined || !this.#origins.has(origin)) return {};',
      to: 'if (origin === undefined) return {};',
    },
  },
  {
    name: 'what a page sends without a preflight starts a payment',
    test: 'test/pos/api/access.test.ts',
    file: 'src/base/http/body.ts',
    from: "if (name === '') return 'not-json-type';",
    to: "if (type === '-') return 'not-json-type';",
  },
  {
    name: 'a name that leads to the terminal makes another page its own (DNS rebinding)',
    test: 'test/pos/api/access.test.ts',
    file: 'src/pos/api/access.ts',
    from: 'if (!this.#ownsHost(request.headers.host)) return refusals.host;',
    to: '',
  },
  {
    name: 'a configuration lets every web page call by a star',
    test: 'test/config/web-origin.test.ts',
    file: 'src/config/settings.ts',
    from: '[^/?#@\\s*]+$/',
    to: '[^/?#@\\s]+$/',
  },
];
