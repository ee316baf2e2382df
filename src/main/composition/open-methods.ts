import type { Configuration } from '../../config/configuration.ts';
import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Acquirer, QueueNews } from '../../payment/method/acquirer.ts';
import { adaptDescription } from '../../payment/method/descriptions.ts';
import { Methods } from '../../payment/method/methods.ts';
import type { MethodParts, OpenedMethod, PaymentMethodModule } from '../../payment/method/payment-method-module.ts';
import { StoreAndForward } from '../../payment/terminal/store-and-forward.ts';
import { OpenParts } from './open-parts.ts';
import { refuseConfiguration } from './start-error.ts';

/** The part of the configuration that the methods read. */
export type MethodConfiguration = Pick<Configuration, 'acquirers' | 'cash' | 'methods' | 'timeouts' | 'wallets'>;

/** A registered method, and its part of the configuration. */
export interface ConfiguredMethod {
  readonly module: PaymentMethodModule<MethodConfiguration>;
  readonly configured: MethodConfiguration;
}

/**
 * The methods of this terminal, each with its settings. Its descriptions are those of this configuration from now on.
 * Throws StartError for an entry of `methods` that names no method, or that its method does not take.
 */
export function configureMethods(
  modules: readonly PaymentMethodModule<MethodConfiguration>[],
  configuration: MethodConfiguration,
): readonly ConfiguredMethod[] {
  const own = new Map(modules.map((module) => [module, [] as MethodConfiguration['methods']]));
  for (const [at, entry] of configuration.methods.entries()) {
    const module = modules.find(({ entries }) => entries?.protocol === entry.protocol);
    if (!module?.entries) {
      return refuseConfiguration(new RangeError(`methods.${at}.protocol names no payment method of this terminal`));
    }
    // The method's schema does not have the merchant.
    const { merchant: _merchant, ...settings } = entry;
    const { data, error } = module.entries.schema.safeParse(settings);
    if (!data) {
      const [issue] = error.issues;
      const place = ['methods', at, ...(issue?.path ?? [])].join('.');
      return refuseConfiguration(new RangeError(`${place}: ${issue?.message ?? 'is wrong'}`));
    }
    own.get(module)?.push({ ...data });
  }
  return modules.flatMap((module) => {
    const methods = own.get(module) ?? [];
    if (module.entries && methods.length === 0) return [];
    const configured = { ...configuration, methods };
    if (module.describe) adaptDescription(module.describe(configured));
    return [{ module, configured }];
  });
}

export interface OpenMethodsParts extends Omit<MethodParts, 'acquirers' | 'printsReceipt' | 'queue'> {
  /** The ids of the configured acquirers, in their order. */
  readonly order: readonly string[];
  /** Whether the terminal has a printer. */
  readonly prints: boolean;
  /** How long a payment waits for messages that are queued before it. */
  readonly patienceMs?: number;
}

/** The payment methods of this terminal, their acquirers, and the queue of messages for these. */
export interface OpenedMethods {
  readonly methods: Methods;
  /** In the order in which they are asked. */
  readonly acquirers: ReadonlyMap<AcquirerId, Acquirer>;
  readonly forwarder: StoreAndForward;
  readonly beforeSettlement: (id: AcquirerId) => Promise<void>;
}

/** Opens the methods in their order. Rejects with StartError, and then leaves nothing open. */
export async function openMethods(
  configured: readonly ConfiguredMethod[],
  parts: OpenMethodsParts,
  opened: OpenParts,
): Promise<OpenedMethods> {
  const { journal, clock, order, prints, patienceMs, reports } = parts;
  const acquirers = new Map<AcquirerId, Acquirer>();
  const forwarder = new StoreAndForward({
    journal,
    clock,
    acquirers,
    ...(patienceMs === undefined ? {} : { patienceMs }),
    onThrough: (what: QueueNews, id: TerminalTransactionId) => reports.onThrough(what, id),
    onFailure: (error) => reports.onFailure('forwarder', error),
  });
  const all = await openAll(configured, {
    ...parts,
    acquirers,
    queue: forwarder,
    printsReceipt: ({ request }) => prints && request.printedBy === 'terminal',
  });
  for (const each of inOrder(all, order)) acquirers.set(each.profile.id, opened.add(each));
  opened.add(forwarder);
  for (const each of all) opened.add({ close: async () => each.close?.() });
  return {
    methods: new Methods(all.flatMap(({ methods }) => methods)),
    acquirers,
    forwarder,
    async beforeSettlement(id) {
      for (const each of all) await each.beforeSettlement?.(id);
    },
  };
}

async function openAll(configured: readonly ConfiguredMethod[], parts: MethodParts): Promise<readonly OpenedMethod[]> {
  const all: OpenedMethod[] = [];
  try {
    for (const { module, configured: settings } of configured) all.push(await module.open(settings, parts));
    return all;
  } catch (error) {
    const begun = new OpenParts();
    for (const each of all) {
      for (const acquirer of each.acquirers) begun.add(acquirer);
      begun.add({ close: async () => each.close?.() });
    }
    await begun.close((fault) => parts.reports.onFailure('settlement', fault));
    return refuseConfiguration(error);
  }
}

/** As configured; then those without an entry of `acquirers`, and last those that are not configured any more. */
function inOrder(all: readonly OpenedMethod[], order: readonly string[]): readonly Acquirer[] {
  const placeOf = ({ profile: { id, held } }: Acquirer) => {
    const place = order.indexOf(id);
    return place >= 0 ? place : order.length + (held === undefined ? 0 : 1);
  };
  return all.flatMap(({ acquirers }) => acquirers).toSorted((one, other) => placeOf(one) - placeOf(other));
}
