import type { AcquirerId } from '../../base/domain/identifiers.ts';
import { type HostTerm, isMoveOnly } from '../../config/host-terms.ts';
import type { Hold } from './find-holds.ts';

/** The report of a hold. `changed`: the settings that differ; empty if its own settings are unchanged. */
export interface HeldAcquirer {
  readonly changed: readonly HostTerm[];
  readonly message: string;
}

/** The acquirers that take no new payments until their former batch is settled. */
export class HeldAcquirers {
  readonly #holds = new Map<AcquirerId, Hold>();
  readonly #switches = new Map<AcquirerId, () => Promise<void>>();
  readonly #listeners: (() => void)[] = [];
  readonly #former: ReadonlySet<AcquirerId>;

  constructor(holds: readonly Hold[]) {
    for (const hold of holds) this.#holds.set(hold.id, hold);
    this.#former = new Set(holds.filter(({ next }) => !next).map(({ id }) => id));
  }

  /** It is no longer configured. */
  isFormer(id: AcquirerId): boolean {
    return this.#former.has(id);
  }

  get all(): readonly Hold[] {
    return [...this.#holds.values()];
  }

  get acquirers(): readonly AcquirerId[] {
    return this.all.map(({ id }) => id);
  }

  /** Why it takes no new payments, for its profile. */
  textOf(id: AcquirerId): string | undefined {
    return this.of(id)?.message ?? (this.isFormer(id) ? `${id} is not configured any more` : undefined);
  }

  of(id: AcquirerId): HeldAcquirer | undefined {
    const hold = this.#holds.get(id);
    return hold && { changed: hold.changed, message: holdText(hold) };
  }

  /** `work`: replaces its former settings by the present ones, when it is released. */
  onSwitch(id: AcquirerId, work: () => Promise<void>): void {
    this.#switches.set(id, work);
  }

  /** Called after every change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** It takes payments again, with its present settings. */
  async release(id: AcquirerId): Promise<void> {
    await this.#switches.get(id)?.();
    this.#holds.delete(id);
    for (const listener of this.#listeners) listener();
  }
}

export function holdText({ id, next, former, changed, behind }: Hold): string {
  const settle = 'settle it, and complete or void its authorizations';
  if (behind !== undefined)
    return `${id} takes no payments: it has the terminal id of ${behind}, whose former batch is not settled: ${settle}`;
  // Octopus and cash have no settings, and the key of a wallet is not kept.
  if (!next && former?.protocol !== 'iso8583')
    return `${id} is not configured any more, and what it took is not settled: configure it again, ${settle}, then remove it`;
  if (!next)
    return `${id} takes no payments: it is not configured any more, and what it took is not settled: ${settle}`;
  const move = isMoveOnly(changed)
    ? `; if its bank has moved its host with the same books: poid acquirer moved ${id}`
    : '';
  return `${id} takes no payments: its ${changed.join(', ')} changed while payments were unsettled, which are completed with the former settings: ${settle}${move}`;
}
