import type { OpenDiscrepancy } from './discrepancies.ts';
import type { DrawerCount } from '../payment/records/drawer-openings.ts';
import type { MenuParts } from './menu-parts.ts';
import type { MenuRequest } from './menu-request.ts';
import type { OpenMatter } from './customer-matters.ts';
import type { OpenExtra } from './extra-payments.ts';
import type { ClosedBatch, Figures } from './figures.ts';
import type { MenuDevice } from './machine.ts';
import type { ListedReceipt } from './receipts.ts';
import type { Rights } from './rights.ts';
import type { SettledText } from './settled.ts';
import type { Story } from './story.ts';
import type { Day } from './today.ts';
import type { Waiting } from './waiting.ts';
import type { WaitingBatch } from './waiting-batch.ts';

type Nothing = object;

/** `reason`: why nothing was printed; absent if it was. */
export interface Printed {
  readonly reason?: string;
}

/** An answer of the payment interface, as far as the page reads it. `text`: by language. */
export interface Called {
  readonly responseResult?: string;
  readonly text?: Readonly<Record<string, string>>;
}

/** The session, or why there is none. `waitMs`: until the next attempt. */
export type LoginBody =
  | ({ readonly session: string; readonly methodNames: MenuParts['methodNames'] } & Rights)
  | {
      readonly session?: undefined;
      readonly reason: 'wrong' | 'wait' | 'busy' | 'noPassword';
      readonly waitMs?: number;
    };

/** The machine's data for the page. */
export interface MachineBody {
  readonly devices: readonly MenuDevice[];
  readonly addresses: readonly string[];
  readonly addressesUnknown?: true;
  readonly prints: boolean;
}

/** The bodies of answers with status 200, by the kind of the request. */
export interface MenuBodies extends Record<MenuRequest['kind'], object> {
  readonly look: Nothing;
  readonly login: LoginBody;
  readonly logout: Nothing;
  readonly settle: { readonly settlements: readonly SettledText[] };
  readonly report: Figures;
  readonly printReport: Called;
  readonly settlements: { readonly batches: readonly ClosedBatch[] };
  readonly printSettlement: Printed;
  readonly machine: MachineBody;
  readonly openDrawer: Nothing;
  readonly testPrint: Printed;
  readonly today: Day & { readonly drawerOpenings: readonly DrawerCount[] };
  readonly story: Story;
  readonly act: Called;
  readonly refund: Called;
  readonly receipts: { readonly transactions: readonly ListedReceipt[] };
  readonly printReceipt: Printed;
  readonly waiting: {
    readonly transactions: readonly Waiting[];
    readonly batches: readonly WaitingBatch[];
    readonly extraPayments: readonly OpenExtra[];
    readonly customerMatters: readonly OpenMatter[];
    readonly discrepancies: readonly OpenDiscrepancy[];
  };
  readonly setAside: Nothing;
  readonly givenBackInCash: Nothing;
  readonly settledWithCustomer: Nothing;
  readonly settledWithBank: Nothing;
  readonly decideBatch: Nothing;
  readonly pair: Nothing;
  readonly decide: Nothing;
}

/** Why a request was not carried out: the body of an answer with another status. */
export interface MenuRefusal {
  readonly reason?: string;
  readonly text?: Readonly<Record<string, string>> | undefined;
}
