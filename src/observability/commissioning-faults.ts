import { commissioningReasons, issuerReasons } from '../base/domain/decline-reason.ts';
import type { AcquirerId } from '../base/domain/identifiers.ts';
import type { JournalEvent, StoredEvent } from '../payment/events/event.ts';
import type { Clock } from '../base/ports/clock.ts';
import type { Journal } from '../payment/contracts/journal.ts';
import type { TerminalRecognition } from '../payment/contracts/terminal-recognition.ts';
import type { Log } from './log.ts';

/** Its host does not know this terminal, or does not permit its request. `since`: ISO 8601. */
export interface CommissioningFault {
  readonly hostCode: string;
  readonly since: string;
}

/** The numbers by which a host knows this terminal. */
interface TerminalNumbers {
  readonly mid: string;
  readonly tid: string;
}

/** How many transactions are read at the start. */
const recalledMax = 30;

/**
 * The acquirers whose host does not know this terminal, until the host answers a message of it as one of a terminal
 * that it knows. After a start they are read from the latest transactions.
 */
export class CommissioningFaults {
  readonly #log: Pick<Log, 'info' | 'warn'>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #faults = new Map<AcquirerId, CommissioningFault>();
  /** Acquirers that have answered since the start: earlier records of them no longer count. */
  readonly #heard = new Set<AcquirerId>();
  readonly #listeners: (() => void)[] = [];

  constructor(log: Pick<Log, 'info' | 'warn'>, clock: Pick<Clock, 'now'>) {
    this.#log = log;
    this.#clock = clock;
  }

  get acquirers(): readonly AcquirerId[] {
    return [...this.#faults.keys()];
  }

  of(id: AcquirerId): CommissioningFault | undefined {
    return this.#faults.get(id);
  }

  /** Called after every change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  readonly hear = ({ acquirerId, isKnown, hostCode: code }: TerminalRecognition): void => {
    this.#heard.add(acquirerId);
    const before = this.#faults.get(acquirerId);
    if (isKnown) {
      if (!this.#faults.delete(acquirerId)) return;
      this.#log.info('terminal known to its host', { acquirerId, code });
    } else {
      const since = before?.since ?? this.#clock.now().toISOString();
      this.#faults.set(acquirerId, { hostCode: code, since });
      this.#log.warn('terminal unknown to its host', { acquirerId, code });
      if (before?.hostCode === code) return;
    }
    this.#notifyListeners();
  };

  /**
   * Reads from the latest transactions whether their hosts know this terminal. Transactions under another merchant or
   * terminal number do not count. Rejects with JournalError.
   */
  async recall(
    journal: Pick<Journal, 'listSlice' | 'read'>,
    numbers: ReadonlyMap<AcquirerId, TerminalNumbers>,
  ): Promise<void> {
    const { found } = await journal.listSlice({ order: 'newest', limit: recalledMax });
    const decided = new Set<AcquirerId>();
    const faults = new Map<AcquirerId, CommissioningFault>();
    for (const { id } of found) {
      for (const { acquirerId, fault } of verdictsIn(await journal.read(id), numbers)) {
        if (decided.has(acquirerId)) continue;
        // The code is that of the latest answer; `since` is that of the first in an unbroken series of such answers.
        if (fault) faults.set(acquirerId, { ...fault, hostCode: (faults.get(acquirerId) ?? fault).hostCode });
        else decided.add(acquirerId);
      }
    }
    const recalled = [...faults].filter(([id]) => !this.#heard.has(id));
    for (const [acquirerId, fault] of recalled) {
      this.#faults.set(acquirerId, fault);
      this.#log.warn('terminal unknown to its host', { acquirerId, code: fault.hostCode });
    }
    if (recalled.length > 0) this.#notifyListeners();
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}

interface Verdict {
  readonly acquirerId: AcquirerId;
  /** Undefined: the host knows the terminal. */
  readonly fault: CommissioningFault | undefined;
}

/** Whether hosts know this terminal, from the events of one transaction, the latest first. */
function verdictsIn(events: readonly StoredEvent[], numbers: ReadonlyMap<AcquirerId, TerminalNumbers>): Verdict[] {
  const verdicts: Verdict[] = [];
  let asked: AcquirerId | undefined;
  for (const { at: since, event } of events) {
    if (event.kind === 'intent') {
      const own = numbers.get(event.acquirerId);
      asked = own?.mid === event.mid && own.tid === event.tid ? event.acquirerId : undefined;
    }
    const said = asked === undefined || event.kind === 'unreadable' ? undefined : readEvent(event);
    if (asked === undefined || said === undefined) continue;
    const fault = said === 'known' ? undefined : { hostCode: said.unknownBy, since };
    verdicts.unshift({ acquirerId: asked, fault });
  }
  return verdicts;
}

function readEvent(event: JournalEvent): 'known' | { readonly unknownBy: string } | undefined {
  switch (event.kind) {
    case 'answered': {
      const { outcome } = event;
      if (outcome.kind === 'approved') return 'known';
      return outcome.kind === 'declined' ? readDecline(outcome) : undefined;
    }
    case 'adviceAnswered':
      if (event.answer === 'acknowledged') return 'known';
      return event.reason && readDecline({ reason: event.reason, responseCode: event.responseCode });
    case 'reversalAcknowledged':
      return 'known';
    default:
      return undefined;
  }
}

type Said = Extract<Extract<JournalEvent, { kind: 'answered' }>['outcome'], { kind: 'declined' }>;

function readDecline({ reason, responseCode }: Pick<Said, 'reason' | 'responseCode'>): ReturnType<typeof readEvent> {
  if (commissioningReasons.includes(reason)) return { unknownBy: responseCode };
  return issuerReasons.includes(reason) ? 'known' : undefined;
}
