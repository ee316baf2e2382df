import { describeChange } from '../../api/books.ts';
import type { ApiParts } from '../../api/call.ts';
import { Backlog, type Counted } from '../../feeds/backlog.ts';
import { BooksState } from '../books/books-state.ts';
import { Outbox } from '../books/outbox.ts';
import type { Change } from '../../../payment/contracts/changes.ts';
import type { Random, MonotonicClock } from '../../../base/ports/clock.ts';
import type { CloudLink } from '../../../payment/contracts/cloud-link.ts';
import type { Journal } from '../../../payment/contracts/journal.ts';
import { unsettledSums } from '../../../payment/records/unsettled-sums.ts';

/** The sources of the books, read while no payment runs. */
export interface BookSource {
  readonly journal: Journal;
  readonly terminal: { readonly running: unknown };
}

interface BookOptions {
  readonly link: CloudLink;
  readonly clock: MonotonicClock;
  readonly random: Random;
  readonly onFailure: (error: unknown) => void;
}

/** The messages to a chain's books (docs/books.md). */
export interface CloudBooks {
  /** The entries that the sink has not acknowledged. */
  readonly counted: Counted | undefined;
  /** Notes a write. */
  notice(): void;
  close(): Promise<void>;
}

export function openBooks(
  { journal, terminal: machine }: BookSource,
  parts: Omit<ApiParts, 'status'>,
  { link, clock, random, onFailure }: BookOptions,
): CloudBooks {
  const isIdle = () => machine.running === undefined;
  const describe = (change: Change) => describeChange(change, { ...parts, journal });
  const outbox = new Outbox({ link, journal, describe, isIdle, clock, random, onFailure });
  const state = new BooksState({ link, read: () => unsettledSums(journal), isIdle, clock, onFailure });
  const backlog = new Backlog({ journal, place: () => outbox.place, isIdle, clock, onFailure });
  return {
    get counted() {
      return backlog.counted;
    },
    notice() {
      outbox.notice();
      state.notice();
    },
    async close() {
      for (const each of [backlog, outbox, state]) await each.close();
    },
  };
}
