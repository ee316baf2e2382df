import { Gauge, type Registry } from 'prom-client';

/** The numbers of GET /sp/v1/status. */
export interface MeasuredStatus {
  readonly ready: boolean;
  readonly state: string;
  readonly journal: string;
  readonly devices: Readonly<Record<string, { readonly state: string; readonly fault?: string } | undefined>>;
  readonly clock: { readonly state: string };
  readonly acquirers: readonly {
    readonly id: string;
    readonly link?: string | undefined;
    readonly security?: string;
    readonly lineFault?: { readonly reason: string };
    readonly certificate?: { readonly notAfter: string };
    readonly clientCertificate?: { readonly notAfter: string };
    readonly commissioningFault?: unknown;
    readonly pendingReversals?: number;
    readonly pendingAdvices?: number;
    readonly rejectedAdvices?: readonly unknown[];
    readonly waitingBatches?: readonly unknown[];
  }[];
  readonly waitingReceipts?: number;
}

type MeasuredLine = Omit<MeasuredStatus['acquirers'][number], 'id'>;

/** The terminal's state as gauges, which `measure` sets. Values that the journal does not report in time are absent. */
export class StatusMetrics {
  readonly #ready: Gauge;
  readonly #busy: Gauge;
  readonly #journal: Gauge;
  readonly #clock: Gauge;
  readonly #receipts: Gauge;
  readonly #devices: Gauge<'device'>;
  readonly #links: Gauge<'acquirer'>;
  readonly #unknown: Gauge<'acquirer'>;
  readonly #protected: Gauge<'acquirer'>;
  readonly #lineFaults: Gauge<'acquirer' | 'reason'>;
  readonly #expiries: Gauge<'acquirer' | 'of'>;
  readonly #waiting: Readonly<Record<'reversals' | 'advices' | 'rejected' | 'batches', Gauge<'acquirer'>>>;

  constructor(registry: Registry) {
    const registers = [registry];
    const plain = (name: string, help: string) => new Gauge({ name, help, registers });
    const ofAcquirer = (name: string, help: string) => new Gauge({ name, help, labelNames: ['acquirer'], registers });
    this.#ready = plain('poid_ready', '1 while the terminal takes payments');
    this.#busy = plain('poid_busy', '1 while a payment or a settlement runs');
    this.#journal = plain('poid_journal_ok', '0 while the disk of the journal is full or does not answer');
    this.#clock = plain('poid_clock_ok', '0 while the clock is in doubt');
    this.#receipts = plain('poid_waiting_receipts', 'Receipts that wait for the printer');
    const help = '1 while the device is there and has no fault';
    this.#devices = new Gauge({ name: 'poid_device_ready', help, labelNames: ['device'], registers });
    this.#links = ofAcquirer('poid_host_reachable', '0 while the link to the host is down');
    this.#unknown = ofAcquirer('poid_terminal_unknown', '1 while the host does not know this terminal');
    this.#protected = ofAcquirer('poid_line_protected', '0 while messages to the host leave this machine without TLS');
    const faultHelp = '1 while the host of cards can’t be reached or is not trusted, by reason';
    this.#lineFaults = new Gauge({
      name: 'poid_line_fault',
      help: faultHelp,
      labelNames: ['acquirer', 'reason'],
      registers,
    });
    const expiryHelp = 'When the certificate of the host, or that of this terminal for it, expires (Unix time)';
    const expiry = 'poid_line_certificate_expiry_seconds';
    this.#expiries = new Gauge({ name: expiry, help: expiryHelp, labelNames: ['acquirer', 'of'], registers });
    this.#waiting = {
      reversals: ofAcquirer('poid_pending_reversals', 'Reversals that wait for their host'),
      advices: ofAcquirer('poid_pending_advices', 'Advices that wait for their host'),
      rejected: ofAcquirer('poid_rejected_advices', 'Advices that the host will not post'),
      batches: ofAcquirer('poid_waiting_batches', 'Closed batches that are not settled'),
    };
  }

  measure({ ready, state, journal, clock, devices, acquirers, waitingReceipts }: MeasuredStatus): void {
    const lines = [this.#protected, this.#lineFaults, this.#expiries];
    for (const each of [this.#devices, this.#links, this.#unknown, ...lines, ...Object.values(this.#waiting)])
      each.reset();
    this.#ready.set(Number(ready));
    this.#busy.set(Number(state !== 'idle'));
    this.#journal.set(Number(journal === 'ok'));
    this.#clock.set(Number(clock.state === 'ok' || clock.state === 'unknown'));
    setKnown(this.#receipts, {}, waitingReceipts);
    for (const [device, reported] of Object.entries(devices))
      if (reported)
        this.#devices.set({ device }, Number(reported.state === 'ready' && (reported.fault ?? 'none') === 'none'));
    for (const { id: acquirer, link, commissioningFault: fault, ...counts } of acquirers) {
      setKnown(this.#links, { acquirer }, link === undefined ? undefined : Number(link !== 'down'));
      this.#measureLine(acquirer, counts);
      setKnown(this.#unknown, { acquirer }, link === undefined ? undefined : Number(fault !== undefined));
      setKnown(this.#waiting.reversals, { acquirer }, counts.pendingReversals);
      setKnown(this.#waiting.advices, { acquirer }, counts.pendingAdvices);
      setKnown(this.#waiting.rejected, { acquirer }, counts.rejectedAdvices?.length);
      setKnown(this.#waiting.batches, { acquirer }, counts.waitingBatches?.length);
    }
  }

  #measureLine(acquirer: string, { security, lineFault, ...certificates }: MeasuredLine): void {
    if (security === undefined) return;
    this.#protected.set({ acquirer }, Number(security === 'tls' || security === 'loopback'));
    if (lineFault) this.#lineFaults.set({ acquirer, reason: lineFault.reason }, 1);
    const { certificate: host, clientCertificate: client } = certificates;
    for (const [of, each] of Object.entries({ host, client }))
      if (each) this.#expiries.set({ acquirer, of }, Math.floor(Date.parse(each.notAfter) / 1_000));
  }
}

function setKnown<Label extends string>(
  gauge: Gauge<Label>,
  labels: Partial<Record<Label, string>>,
  value: number | undefined,
): void {
  if (value === undefined) gauge.remove(labels);
  else gauge.set(labels, value);
}
