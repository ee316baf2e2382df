import type { Bug } from '../bug.ts';

const file = 'src/hosts/iso8583/sites.ts';
const test = 'test/hosts/iso8583/sites.test.ts';

export const siteBugs: readonly Bug[] = [
  {
    name: 'a reversal goes to a site that keeps other books than that of its request',
    test,
    file,
    from: 'if (!this.isShared) return this.#call(this.#named(order.site), (host) => host.reverse(order, repeat));',
    to: '',
  },
  {
    name: 'a request that was meant for one site is sent to another one',
    test,
    file,
    from: 'return this.#call(site, (host) => host.request(order));',
    to: 'return this.#call(await this.#reach(site), (host) => host.request(order));',
  },
  {
    name: 'the late answer of a site that is not in use is dropped',
    test,
    file,
    from: 'this.#options.onLate(this.isShared ? answer : { ...answer, site: from.name });',
    to: 'if (from === this.#inUse) this.#options.onLate(this.isShared ? answer : { ...answer, site: from.name });',
  },
  {
    name: 'a site that knows nothing of a payment ends the reversal of what another site has posted',
    test,
    file,
    from: "if (outcome.kind !== 'noRecord' || !own || own === site) return outcome;",
    to: 'if (own) return outcome;',
  },
  {
    name: 'an approval during the reversal at another site is taken as reversed',
    test,
    file,
    from: "if (this.#contested.has(stan)) return { kind: 'unanswered' };",
    to: '',
  },
  {
    name: 'payments move to other books while a batch is open',
    test,
    file,
    from: 'if (this.isShared) return false;',
    to: 'if (this.id) return false;',
  },
  {
    name: 'a reversal goes to another site with books of its own while the site of its request is away',
    file,
    from: 'if (!this.isShared) return this.#call(this.#named(order.site), (host) => host.reverse(order, repeat));',
    to: 'if (!this.isShared) return this.#call(await this.#reach(this.#named(order.site)), (host) => host.reverse(order, repeat));',
  },
  {
    name: 'the site in use moves while money is unsettled',
    file,
    from: 'return found !== undefined;',
    to: 'return false;',
  },
  {
    name: 'a transaction that begins during the connection to another site does not keep the terminal at its site',
    test,
    file,
    from: 'if (each !== this.#inUse && (await this.#staysWith(findUnsettled))) break;',
    to: '',
  },
  {
    name: 'an offline sale is posted at the site in use, and the open batch is at another',
    test,
    file,
    from: 'if (found) this.#use(this.#find(found.site) ?? this.#inUse);',
    to: '',
  },
  {
    name: 'nothing seems unsettled while an authorization is completed',
    test: 'test/payment/terminal/authorizations.test.ts',
    file: 'src/payment/records/first-unsettled.ts',
    from: '(await this.#findAuth(ids, signal)) ?? (await this.findSoon(ids, signal))',
    to: '(await this.#findAuth(ids, signal))',
  },
];
