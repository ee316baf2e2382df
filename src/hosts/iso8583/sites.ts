import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { Limits } from '../../base/domain/capability.ts';
import type { LineReport } from '../../base/domain/line-security.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import {
  type AcquirerHost,
  type AdviceOrder,
  type AdviceOutcome,
  type HostOutcome,
  type HostSites,
  type LinkState,
  type OnlineOrder,
  type ReversalOrder,
  type ReversalOutcome,
  type SettlementOrder,
  type SettlementOutcome,
  type SiteReport,
  type Unsettled,
  UnsendableOrder,
  type UploadOrder,
  type UploadOutcome,
} from '../../payment/contracts/acquirer-host.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import { HostSite, type SiteHost } from './site.ts';

/** The callbacks of one site. */
export interface SiteListeners {
  readonly onLate: (answer: LateAnswer) => void;
  readonly onLine: (report: LineReport) => void;
  /** Called when the exchange of a sent message has ended. */
  readonly onExchange: (isAnswered: boolean) => void;
  /** Whether the connection is kept open with echoes while nothing is sent. */
  readonly isKept: () => boolean;
}

interface SitedOptions {
  /** The names of two or more sites, in order. */
  readonly sites: readonly string[];
  readonly isShared: boolean;
  readonly clock: MonotonicClock;
  readonly open: (site: string, listeners: SiteListeners) => SiteHost;
  readonly onLate: (answer: LateAnswer) => void;
  readonly onLine: (report: LineReport) => void;
  /** Called when new payments begin to go to another site. */
  readonly onUse: (site: string) => void;
}

/**
 * A host with several addresses. New payments go to one of them: the first that can be used, and to the first of all as
 * soon as it is back and nothing is in flight. Each payment names its site, and its request goes nowhere else. If the
 * sites share their books, later messages about the payment may go to any of them. Otherwise they go to its own site
 * only, and another site is used only while nothing is unsettled at the present one.
 */
export class SitedAcquirer implements AcquirerHost, HostSites {
  readonly id: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  readonly limits: Limits;
  readonly batchMax: AcquirerHost['batchMax'];
  readonly isShared: boolean;
  readonly #options: SitedOptions;
  readonly #all: readonly HostSite[];
  readonly #first: HostSite;
  #inUse: HostSite;
  /** The name of the site in use, needed while the sites are being opened. */
  #kept: string;
  /** By trace number: the site to which the reversal was sent. */
  readonly #reversing = new Map<number, HostSite>();
  /** Reversals in flight whose request another site has approved meanwhile. */
  readonly #contested = new Set<number>();
  /** Reversals for which another site has no record. The next attempt goes to the site of the request. */
  readonly #denied = new Set<number>();

  constructor(options: SitedOptions) {
    this.#options = options;
    this.isShared = options.isShared;
    this.#kept = options.sites[0] ?? '';
    this.#all = options.sites.map((name) => this.#openSite(name));
    const [first] = this.#all;
    if (!first) throw new RangeError('a host has a site');
    this.#first = first;
    this.#inUse = first;
    const { id, mid, tid, limits, batchMax } = first.host;
    this.id = id;
    this.mid = mid;
    this.tid = tid;
    this.limits = limits;
    this.batchMax = batchMax;
  }

  get sites(): HostSites {
    return this;
  }

  get inUse(): string {
    return this.#inUse.name;
  }

  get report(): readonly SiteReport[] {
    return this.#all.map((each) => ({
      site: each.name,
      isInUse: each === this.#inUse,
      ...(each.fault ? { fault: each.fault } : {}),
    }));
  }

  get link(): LinkState {
    return this.#inUse.host.link;
  }

  get line(): LineReport {
    return this.#inUse.host.line;
  }

  has(site: string): boolean {
    return this.#all.some(({ name }) => name === site);
  }

  async choose(findUnsettled: () => Promise<Unsettled | undefined>, connects = true): Promise<string> {
    if (await this.#staysWith(findUnsettled)) {
      if (connects) await this.#inUse.connect();
      return this.inUse;
    }
    if (!connects) return this.inUse;
    for (const each of this.#inOrder([this.#first, this.#inUse])) {
      if (!(await each.connect())) continue;
      // A transaction may have begun at another site meanwhile.
      if (each !== this.#inUse && (await this.#staysWith(findUnsettled))) break;
      this.#use(each);
      break;
    }
    return this.inUse;
  }

  get repeatsSettlements(): boolean {
    return this.#first.host.repeatsSettlements;
  }

  sendsPin(...given: Parameters<SiteHost['sendsPin']>): boolean {
    return this.#first.host.sendsPin(...given);
  }

  /** The request goes to its own site only: another site would decide it a second time. */
  async request(order: OnlineOrder): Promise<HostOutcome> {
    const site = order.site === undefined ? this.#inUse : this.#named(order.site);
    return this.#call(site, (host) => host.request(order));
  }

  async reverse(order: ReversalOrder, repeat: boolean): Promise<ReversalOutcome> {
    if (!this.isShared) return this.#call(this.#named(order.site), (host) => host.reverse(order, repeat));
    const { stan } = order.trace;
    const own = this.#find(order.site);
    const site = own && this.#denied.delete(stan) ? own : await this.#reach(own);
    this.#reversing.set(stan, site);
    try {
      const outcome = await this.#call(site, (host) => host.reverse(order, repeat));
      // The approval arrived while the reversal was at another site. Their order is not known.
      if (this.#contested.has(stan)) return { kind: 'unanswered' };
      if (outcome.kind !== 'noRecord' || !own || own === site) return outcome;
      this.#denied.add(stan);
      return { ...outcome, isElsewhere: true };
    } finally {
      this.#reversing.delete(stan);
      this.#contested.delete(stan);
    }
  }

  async advise(order: AdviceOrder, repeat: boolean): Promise<AdviceOutcome> {
    const site = this.isShared ? await this.#reach(this.#find(order.site)) : this.#named(order.site);
    return this.#call(site, (host) => host.advise(order, repeat));
  }

  async settle(order: SettlementOrder): Promise<SettlementOutcome> {
    const site = order.site === undefined ? this.#inUse : this.#named(order.site);
    return this.#call(site, (host) => host.settle(order));
  }

  async upload(order: UploadOrder, repeat: boolean): Promise<UploadOutcome> {
    const site = order.site === undefined ? this.#inUse : this.#named(order.site);
    return this.#call(site, (host) => host.upload(order, repeat));
  }

  async close(): Promise<void> {
    for (const each of this.#all) each.stop();
    await Promise.all(this.#all.map(({ host }) => host.close()));
  }

  #openSite(name: string): HostSite {
    const { clock, open } = this.#options;
    const host = open(name, {
      onLate: (answer) => this.#hear(answer, site),
      onLine: (report) => {
        if (report.fault) site.fail(report.fault.reason);
        this.#options.onLine({ ...report, site: name });
      },
      onExchange: (isAnswered) => (isAnswered ? site.noteAnswer() : site.noteSilence()),
      isKept: () => name === this.#kept,
    });
    const site: HostSite = new HostSite({ name, host, clock, onReturn: () => this.#returnToFirst() });
    return site;
  }

  #hear(answer: LateAnswer, from: HostSite): void {
    const stan = Number(answer.stan);
    const asked = this.#reversing.get(stan);
    if (answer.isApproval && answer.isOurs && asked && asked !== from) this.#contested.add(stan);
    // Without shared books the answer can't refer to a message to another site.
    this.#options.onLate(this.isShared ? answer : { ...answer, site: from.name });
  }

  async #call<T>(site: HostSite, work: (host: SiteHost) => Promise<T>): Promise<T> {
    try {
      return await site.call(work);
    } finally {
      this.#returnToFirst();
    }
  }

  /** Returns a connected site: `preferred` if it can be used, then the one in use, then the others in order. */
  async #reach(preferred: HostSite | undefined): Promise<HostSite> {
    const order = this.#inOrder(preferred ? [preferred, this.#inUse] : [this.#inUse]);
    for (const each of order) {
      if (!(await each.connect())) continue;
      if (this.#inUse.fault) this.#use(each);
      return each;
    }
    return order[0] ?? this.#inUse;
  }

  /** All sites, beginning with `first`. Sites with a fault come last. */
  #inOrder(first: readonly HostSite[]): HostSite[] {
    const all = [...new Set([...first, ...this.#all])];
    return [...all.filter(({ fault }) => !fault), ...all.filter(({ fault }) => fault)];
  }

  /** Returns to the first site, if the sites share their books and nothing is in flight. */
  #returnToFirst(): void {
    if (this.isShared && !this.#first.fault && this.#all.every(({ isIdle }) => isIdle)) this.#use(this.#first);
  }

  /** Whether unsettled transactions determine the site, which is then in use. With shared books they never do. */
  async #staysWith(findUnsettled: () => Promise<Unsettled | undefined>): Promise<boolean> {
    if (this.isShared) return false;
    const found = await findUnsettled();
    if (found) this.#use(this.#find(found.site) ?? this.#inUse);
    return found !== undefined;
  }

  #use(site: HostSite): void {
    if (site === this.#inUse) return;
    this.#inUse = site;
    this.#kept = site.name;
    this.#options.onUse(site.name);
  }

  #find(name: string | undefined): HostSite | undefined {
    return name === undefined ? this.#first : this.#all.find((each) => each.name === name);
  }

  /** Throws UnsendableOrder for a site that is no longer configured: no other site has its books. */
  #named(name: string | undefined): HostSite {
    const found = this.#find(name);
    if (!found) throw new UnsendableOrder(`the site ${name} of ${this.id} is not configured any more`);
    return found;
  }
}
