import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { LineFault } from '../../../src/base/domain/line-security.ts';
import {
  type HostOutcome,
  type OnlineOrder,
  type ReversalOrder,
  type ReversalOutcome,
  type Unsettled,
  UnsendableOrder,
} from '../../../src/payment/contracts/acquirer-host.ts';
import type { LateAnswer } from '../../../src/payment/contracts/late-answer.ts';
import type { SiteHost } from '../../../src/hosts/iso8583/site.ts';
import { SitedAcquirer, type SiteListeners } from '../../../src/hosts/iso8583/sites.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { reversalOrder, saleOrder } from './terminal.ts';

const unused = () => assert.fail('is not asked for');
const approval: HostOutcome = {
  kind: 'approved',
  responseCode: '00',
  approvalCode: 'A1B2C3',
  rrn: '623710000123',
  hostTime: '101530',
  hostDate: '0825',
  issuerData: new Map(),
};
const acknowledged: ReversalOutcome = { kind: 'acknowledged', responseCode: '00' };
const noRecord: ReversalOutcome = { kind: 'noRecord', responseCode: '25' };

/** A site whose behaviour the test sets. */
class ScriptedSite implements SiteHost {
  readonly id = acquirerId('EDC');
  readonly mid = '123456789012345';
  readonly tid = '12345678';
  readonly limits = { mostMinor: 1n };
  readonly batchMax = { count: 1, minor: 1n };
  readonly canProve: boolean;
  readonly listeners: SiteListeners;
  /** The fault that prevents a connection. */
  fault: LineFault | undefined;
  isSilent = false;
  /** The received messages, oldest first. */
  readonly got: string[] = [];
  reversal: () => Promise<ReversalOutcome> | ReversalOutcome = () => acknowledged;
  probes = 0;
  connections = 0;

  constructor(listeners: SiteListeners, canProve: boolean) {
    this.listeners = listeners;
    this.canProve = canProve;
  }

  readonly repeatsSettlements = false;

  sendsPin(): boolean {
    return true;
  }

  get link() {
    return this.fault ? ('down' as const) : ('up' as const);
  }
  get line() {
    return {
      security: 'none' as const,
      ...(this.fault ? { fault: { reason: this.fault, since: '2026-01-01T00:00:00.000Z' } } : {}),
    };
  }
  async connect() {
    this.connections += 1;
    return this.fault === undefined;
  }
  async probe() {
    this.probes += 1;
    return this.fault === undefined && !(this.canProve && this.isSilent);
  }
  async request({ trace }: OnlineOrder): Promise<HostOutcome> {
    if (this.fault) return { kind: 'notSent', reason: 'host-down' };
    this.got.push(`sale ${trace.stan}`);
    this.listeners.onExchange(!this.isSilent);
    return this.isSilent ? { kind: 'unknown', reason: 'no-answer' } : approval;
  }
  async reverse({ trace }: ReversalOrder, repeat: boolean): Promise<ReversalOutcome> {
    if (this.fault) return { kind: 'unanswered' };
    this.got.push(`${repeat ? 'repeat' : 'reversal'} ${trace.stan}`);
    this.listeners.onExchange(!this.isSilent);
    return this.isSilent ? { kind: 'unanswered' } : this.reversal();
  }
  advise = unused;
  settle = unused;
  upload = unused;
  close = async () => undefined;
}

const names = ['one:7001', 'two:7002', 'three:7003'] as const;

function opened({ isShared = true, canProve = true, count = 2 } = {}) {
  const clock = new ManualClock();
  const late: LateAnswer[] = [];
  const uses: string[] = [];
  const sites: ScriptedSite[] = [];
  const host = new SitedAcquirer({
    sites: names.slice(0, count),
    isShared,
    clock,
    open: (_name, listeners) => {
      const site = new ScriptedSite(listeners, canProve);
      sites.push(site);
      return site;
    },
    onLate: (answer) => late.push(answer),
    onLine: () => undefined,
    onUse: (site) => uses.push(site),
  });
  const [one, two, three] = sites as [ScriptedSite, ScriptedSite, ScriptedSite];
  const choose = (unsettled?: Unsettled) => host.choose(async () => unsettled);
  return { clock, host, one, two, three, late, uses, choose };
}

const [nameOne, nameTwo] = names;
const saleAt = (site: string) => ({ ...saleOrder, site });
const reversalAt = (site: string) => ({ ...reversalOrder, site });
const lateApproval = { stan: '000123', isOurs: true, isApproval: true } as LateAnswer;

describe('which site gets the next payment', () => {
  test('the first that can be connected to; the others are not', async () => {
    const { choose, two } = opened();
    assert.equal(await choose(), nameOne);
    assert.equal(two.connections, 0);
  });

  test('the next one after a failed connection, with a reason and a time', async () => {
    const { choose, host, one, uses } = opened({ count: 3 });
    one.fault = 'certificateExpired';
    assert.equal(await choose(), nameTwo);
    assert.deepEqual(uses, [nameTwo]);
    assert.deepEqual(host.report.slice(0, 2), [
      { site: nameOne, isInUse: false, fault: { reason: 'certificateExpired', since: '2026-01-01T00:00:00.000Z' } },
      { site: nameTwo, isInUse: true },
    ]);
  });

  test('it stays where it is while the first has a fault, without asking that again', async () => {
    const { choose, one } = opened();
    one.fault = 'unreachable';
    await choose();
    await choose();
    assert.equal(one.connections, 1);
  });

  test('all of them are tried before a payment fails', async () => {
    const { choose, host, one, two } = opened();
    one.fault = two.fault = 'unreachable';
    await choose();
    two.fault = undefined;
    assert.equal(await choose(), nameTwo);
    assert.equal(host.inUse, nameTwo);
  });

  test('nothing is connected to for an offline sale', async () => {
    const { host, one } = opened();
    assert.equal(await host.choose(async () => undefined, false), nameOne);
    assert.equal(one.connections, 0);
  });
});

describe('the return to the first', () => {
  test('it is probed after 1, 2, 4 … 60 s, and used again once it is back', async () => {
    const { choose, clock, host, one } = opened();
    one.fault = 'unreachable';
    await choose();
    for (const [index, pauseS] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      await clock.advance(pauseS * 1_000 - 1);
      assert.equal(one.probes, index, `${pauseS} s`);
      await clock.advance(1);
      assert.equal(one.probes, index + 1, `${pauseS} s`);
    }
    one.fault = undefined;
    await clock.advance(60_000);
    assert.equal(host.inUse, nameOne);
    assert.deepEqual(
      host.report.map(({ fault }) => fault),
      [undefined, undefined],
    );
  });

  test('not while a message is in flight', async () => {
    const { choose, clock, host, one, two } = opened();
    one.fault = 'unreachable';
    await choose();
    const { promise, resolve } = Promise.withResolvers<ReversalOutcome>();
    two.reversal = () => promise;
    const reversing = host.reverse(reversalAt(nameTwo), false);
    one.fault = undefined;
    await clock.advance(1_000);
    assert.equal(host.inUse, nameTwo);
    resolve(acknowledged);
    await reversing;
    assert.equal(host.inUse, nameOne);
  });

  test('a site that accepts and stays silent is left after two requests, and back once it answers a probe', async () => {
    const { choose, clock, host, one } = opened();
    one.isSilent = true;
    assert.equal((await host.request(saleAt(await choose()))).kind, 'unknown');
    assert.equal((await host.reverse(reversalAt(nameOne), false)).kind, 'unanswered');
    assert.equal(host.report[0]?.fault?.reason, 'requestsNotAnswered');
    assert.equal(await choose(), nameTwo);
    await clock.advance(3_000);
    assert.equal(host.inUse, nameTwo);
    one.isSilent = false;
    await clock.advance(4_000);
    assert.equal(host.inUse, nameOne);
  });

  test('without a message that proves it, a silent site is tried after minutes only', async () => {
    const { choose, clock, host, one } = opened({ canProve: false });
    one.isSilent = true;
    await host.request(saleAt(await choose()));
    await host.reverse(reversalAt(nameOne), false);
    await choose();
    await clock.advance(59_999);
    assert.equal(host.inUse, nameTwo);
    await clock.advance(1);
    assert.equal(host.inUse, nameOne);
    // The site is still silent, so the next attempt is later.
    await host.request(saleAt(nameOne));
    await host.reverse(reversalAt(nameOne), true);
    await choose();
    await clock.advance(119_999);
    assert.equal(host.inUse, nameTwo);
  });
});

describe('shared books', () => {
  test('a request goes to its own site alone, also when that is gone meanwhile', async () => {
    const { choose, host, one, two } = opened();
    const site = await choose();
    one.fault = 'unreachable';
    assert.deepEqual(await host.request(saleAt(site)), { kind: 'notSent', reason: 'host-down' });
    assert.deepEqual(two.got, []);
  });

  test('a reversal goes to the site of its request, and to another one if that is gone', async () => {
    const { host, one, two } = opened();
    assert.deepEqual(await host.reverse(reversalAt(nameOne), false), acknowledged);
    one.fault = 'unreachable';
    assert.deepEqual(await host.reverse(reversalAt(nameOne), true), acknowledged);
    assert.deepEqual([one.got, two.got], [['reversal 123'], ['repeat 123']]);
  });

  test('that another site has no record says nothing about the site of the request, which is asked next', async () => {
    const { host, one, two } = opened();
    one.fault = 'unreachable';
    two.reversal = () => noRecord;
    assert.deepEqual(await host.reverse(reversalAt(nameOne), false), { ...noRecord, isElsewhere: true });
    assert.deepEqual(await host.reverse(reversalAt(nameOne), true), { kind: 'unanswered' });
    assert.deepEqual(await host.reverse(reversalAt(nameOne), true), { ...noRecord, isElsewhere: true });
    one.fault = undefined;
    one.reversal = () => noRecord;
    assert.deepEqual(await host.reverse(reversalAt(nameOne), true), noRecord);
  });

  test('an approval of one site during the reversal at the other: the reversal is sent again', async () => {
    const { host, one, two, late } = opened();
    one.fault = 'unreachable';
    two.reversal = () => {
      one.listeners.onLate(lateApproval);
      return acknowledged;
    };
    assert.deepEqual(await host.reverse(reversalAt(nameOne), false), { kind: 'unanswered' });
    assert.deepEqual(late, [lateApproval]);
    two.reversal = () => acknowledged;
    assert.deepEqual(await host.reverse(reversalAt(nameOne), true), acknowledged);
  });

  test('the reversal of a site that was removed goes to any other', async () => {
    const { host, one } = opened();
    assert.deepEqual(await host.reverse(reversalAt('gone:7000'), false), acknowledged);
    assert.deepEqual(one.got, ['reversal 123']);
  });
});

describe('books of their own', () => {
  test('another site is used only while nothing is unsettled', async () => {
    const { choose, one } = opened({ isShared: false });
    await choose({ site: nameOne });
    one.fault = 'unreachable';
    assert.equal(await choose({ site: nameOne }), nameOne);
    assert.equal(await choose(), nameTwo);
  });

  test('after a start it is the site that has what is unsettled', async () => {
    const { choose, one } = opened({ isShared: false });
    assert.equal(await choose({ site: nameTwo }), nameTwo);
    assert.equal(one.connections, 0);
    assert.equal(await choose(), nameOne, 'settled');
  });

  test('what an intent without a site has posted is at the first', async () => {
    const { choose, one } = opened({ isShared: false });
    one.fault = 'unreachable';
    assert.equal(await choose({}), nameOne);
  });

  test('payments and offline sales use the site that has unsettled transactions', async () => {
    const { choose, host, one } = opened({ isShared: false });
    one.fault = 'unreachable';
    assert.equal(await choose(), nameTwo);
    assert.equal(await host.choose(async () => ({ site: nameOne }), false), nameOne);
    assert.equal(await host.choose(async () => undefined, false), nameOne);
  });

  test('a transaction that begins during the connection to another site keeps its own site in use', async () => {
    const { host, one } = opened({ isShared: false });
    one.fault = 'unreachable';
    const found = [undefined, { site: nameOne }];
    assert.equal(await host.choose(async () => found.shift()), nameOne);
    assert.deepEqual(found, []);
  });

  test('a reversal goes to no other site than its request', async () => {
    const { host, one, two } = opened({ isShared: false });
    one.fault = 'unreachable';
    assert.deepEqual(await host.reverse(reversalAt(nameOne), false), { kind: 'unanswered' });
    assert.deepEqual(two.got, []);
    await assert.rejects(host.reverse(reversalAt('gone:7000'), false), UnsendableOrder);
  });

  test('a late answer names its site', () => {
    const { two, late } = opened({ isShared: false });
    two.listeners.onLate(lateApproval);
    assert.deepEqual(late, [{ ...lateApproval, site: nameTwo }]);
  });
});

test('a site that fails after the end is not probed', async () => {
  const { choose, clock, host, one } = opened();
  one.fault = 'unreachable';
  await choose();
  await host.close();
  assert.equal(clock.pending, 0);
});
