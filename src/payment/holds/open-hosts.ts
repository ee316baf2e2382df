import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { HostOpener, HostProtocol, OpenedHost } from '../method/payment-method-module.ts';
import type { AcquirerProfile } from '../transaction/acquirer-profile.ts';
import type { HeldAcquirers } from './held-acquirers.ts';

/** Opens the hosts of configured acquirers, and of removed ones that have unsettled money. */
export function hostOpener(held: HeldAcquirers): HostOpener {
  return async (configured, protocol) => {
    const opened = [];
    for (const each of configured) opened.push(await openConfigured(each, protocol, held));
    for (const { id, next, former } of held.all) {
      const settings = !next && former ? protocol.restore(former, undefined) : undefined;
      if (settings) opened.push(withHold(id, await protocol.open(settings), held));
    }
    return opened;
  };
}

/** A held acquirer uses its former settings until it is released. */
async function openConfigured<Settings extends { readonly id: string }, Host extends object>(
  configured: Settings,
  protocol: HostProtocol<Settings, Host>,
  held: HeldAcquirers,
): Promise<OpenedHost<Host>> {
  const next = await protocol.open(configured);
  const hold = held.all.find(({ id }) => id === configured.id);
  if (!hold) return next;
  const settings = hold.former && protocol.restore(hold.former, configured);
  if (!settings) return withHold(hold.id, next, held);
  const former = await protocol.open(settings);
  const { part: host, switchTo } = switchable(former.host);
  held.onSwitch(hold.id, async () => {
    switchTo(next.host);
    await protocol.close(former.host);
  });
  return withHold(hold.id, { ...next, host }, held);
}

/** The profile gives the reason why it takes no payments, determined for each payment. */
function withHold<Host extends object>(
  id: AcquirerId,
  opened: OpenedHost<Host>,
  held: HeldAcquirers,
): OpenedHost<Host> {
  const profile: AcquirerProfile = Object.defineProperty({ ...opened.profile }, 'held', {
    enumerable: true,
    get: () => held.textOf(id),
  });
  return { ...opened, profile };
}

/** A part that is used through one reference, and can be replaced by another one. */
interface Switchable<Part extends object> {
  readonly part: Part;
  /** From now on `part` refers to `next`. */
  readonly switchTo: (next: Part) => void;
}

function switchable<Part extends object>(first: Part): Switchable<Part> {
  let present = first;
  const part = new Proxy(first, {
    get(_first, name) {
      const value = Reflect.get(present, name, present) as unknown;
      // Private fields belong to the part itself.
      return typeof value === 'function' ? (value.bind(present) as unknown) : value;
    },
  });
  return {
    part,
    switchTo: (next) => {
      present = next;
    },
  };
}
