import type { TransactionKind } from '../../base/domain/transaction-kind.ts';
import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Refusal } from '../../base/domain/reason.ts';
import { beyond } from '../../base/domain/capability.ts';
import { entryOf } from '../records/batch-load.ts';
import type { Methods } from '../method/methods.ts';
import type { Order } from '../method/order.ts';
import { checkReferenceNow } from '../method/original.ts';
import { nothingCollected } from '../transaction/collectable.ts';
import { merchantOf, noMerchants } from '../transaction/merchants.ts';
import { type Plan, isPlanRefusal, planPayment } from '../transaction/plan.ts';
import { isReferenceRefusal, noOriginal, type ReferenceRefusal } from '../transaction/reference.ts';
import type { RunParts } from './parts.ts';
import type { PaymentRequest } from './request.ts';
import type { ClockDoubt } from '../../base/domain/clock-doubt.ts';
import { stopping, type PayAnswer } from './answers.ts';
import type { TerminalCapabilities } from '../transaction/terminal-capabilities.ts';

const clockRefusals: Readonly<Record<ClockDoubt, Refusal>> = {
  unsynchronised: { reason: 'clockNotSynchronised', message: 'the clock is not synchronised' },
  beforeBuild: { reason: 'clockWrong', message: 'the clock is wrong' },
};

/** Why no payment can begin now, if payments are refused while the clock is unreliable. */
export function clockRefusal({ clockDoubt }: Pick<RunParts, 'clockDoubt'>): Refusal | undefined {
  const doubt = clockDoubt?.refuses ? clockDoubt.now() : undefined;
  return doubt === undefined ? undefined : clockRefusals[doubt];
}

/**
 * Why a request may not begin a payment any more; undefined if it may. The terminal may be about to stop, or the
 * request may have expired. An unreliable clock can't decide that, and a broker may have held the request for days.
 */
export function latenessOf(
  { expiresAt }: Pick<PaymentRequest, 'expiresAt'>,
  { clock, clockDoubt, isClosing }: Pick<RunParts, 'clock' | 'clockDoubt' | 'isClosing'>,
): Refusal | undefined {
  if (isClosing()) return stopping;
  if (expiresAt === undefined) return undefined;
  const doubt = clockDoubt?.now();
  if (doubt !== undefined) return clockRefusals[doubt];
  const now = clock.now();
  if (now < expiresAt) return undefined;
  // This tells a till that its own clock is behind.
  const lateS = Math.ceil((now.getTime() - expiresAt.getTime()) / 1_000);
  const nowS = Math.floor(now.getTime() / 1_000);
  const message = `the request's time was over ${lateS} s before: the terminal's clock is at ${nowS}; nothing was started`;
  return { reason: 'requestExpired', message };
}

type OrderParts = Pick<RunParts, 'journal' | 'profiles' | 'merchants' | 'rules' | 'room' | 'receipts' | 'timeouts'> & {
  readonly methods: Methods;
};

/** The device that it needs is absent. */
export interface ReadinessRefusal {
  readonly notReady: Refusal;
}

/**
 * Turns a request into an order, with the transaction that it refers to. Called while the terminal is claimed, so that
 * no other transaction can come between. A refusal has written nothing.
 */
export async function orderOf(
  id: TerminalTransactionId,
  request: PaymentRequest,
  plan: Plan,
  parts: OrderParts,
): Promise<Order | ReferenceRefusal | ReadinessRefusal> {
  const { type, amount, originalId, tipMinor = 0n, cashbackMinor, approvalCode, printedBy } = request;
  const { collectMs = parts.timeouts.collectMs } = request;
  const printsReceipt = parts.receipts !== undefined && printedBy === 'terminal';
  const common = { id, amount, approvalCode, printsReceipt, cashbackMinor, collectMs };
  if (originalId !== undefined) return orderByReference(common, request, originalId, parts);
  const { collects, takers, held, expected } = plan;
  // planPayment refuses a void without an original, so the type is a kind.
  const kind = type as TransactionKind;
  const merchantId = merchantOf(request.merchantId, parts.merchants ?? noMerchants);
  if (request.splitOf !== undefined && (await parts.journal.read(request.splitOf)).length === 0) return noFirst;
  const order = { ...common, kind, tipMinor, collects, takers, held, merchantId, allowsPart: request.allowPartial };
  return (await roomFault(order, expected, parts)) ?? order;
}

async function orderByReference(
  common: Pick<Order, 'id' | 'amount' | 'approvalCode' | 'printsReceipt' | 'cashbackMinor' | 'collectMs'>,
  request: PaymentRequest,
  originalId: TerminalTransactionId,
  parts: OrderParts,
): Promise<Order | ReferenceRefusal | ReadinessRefusal> {
  const answer = await checkReferenceNow(request, originalId, parts);
  if (isReferenceRefusal(answer)) return answer;
  const { tree: _tree, ...resolved } = answer;
  const { intent, request: first } = resolved.original.record;
  const { merchantId } = first;
  if (request.merchantId !== undefined && request.merchantId !== merchantId) return otherMerchant;
  const takers = parts.profiles.filter((profile) => profile.id === intent?.acquirerId);
  const limit = beyond(common.amount, takers[0]?.limits);
  if (limit) return refuseAmount({ reason: 'amountNotPossible', message: `is not possible: ${limit}` });
  const mode = resolved.kind === 'REFUND' && intent ? parts.methods.ofIntent(intent)?.refundMode : undefined;
  const notReady = parts.methods.modes.find((each) => each.mode === mode)?.notReady();
  if (notReady) return { notReady };
  const collects = mode === undefined ? nothingCollected : { ...nothingCollected, modes: [mode], start: mode };
  const order = { ...common, ...resolved, takers, collects, merchantId };
  return (await roomFault(order, intent ? [intent.acquirerId] : [], parts)) ?? order;
}

/** Refuses the order before it starts if no acquirer's open batch has room for it. */
async function roomFault(
  order: Order,
  takers: readonly AcquirerId[],
  { room }: Pick<OrderParts, 'room'>,
): Promise<ReferenceRefusal | undefined> {
  const entry = entryOf(order, order.original?.total.minor);
  const faults = await Promise.all(takers.map((id) => room.fault(id, entry)));
  const [fault] = faults;
  return fault === undefined || faults.includes(undefined) ? undefined : refuseAmount(fault);
}

const noFirst: ReferenceRefusal = { ...noOriginal, pointer: '/splitOf' };

const otherMerchant: ReferenceRefusal = {
  result: 'INVALID_PARAMETER',
  pointer: '/merchantId',
  reason: 'decidedByOriginal',
  message: 'is not the merchant of the original, which decides this',
};

function refuseAmount({ reason, message }: Refusal): ReferenceRefusal {
  return { result: 'INVALID_PARAMETER', pointer: '/requestAmount', message, reason };
}

/** The parts that payments are planned with. */
export function capabilitiesOf({
  profiles,
  methods,
  options = [],
  merchants = noMerchants,
}: Pick<RunParts, 'profiles' | 'methods' | 'options' | 'merchants'>): TerminalCapabilities {
  return { profiles, modes: methods.modes, options, merchants };
}

/** The plan may have changed while the request waited, because an acquirer takes payments again. */
export function planAgain(
  run: { readonly request: PaymentRequest; plan: Plan },
  parts: Parameters<typeof capabilitiesOf>[0],
): void {
  const plan = planPayment(run.request, capabilitiesOf(parts));
  if (!isPlanRefusal(plan) && !plan.collects.notReady) run.plan = plan;
}

export interface Planned {
  readonly kind: 'plan';
  readonly plan: Plan;
}

/** Whether an acquirer that is held would take this payment, alone or beside others. */
export function isHeld(admitted: Planned | PayAnswer): boolean {
  if (admitted.kind === 'plan') return (admitted.plan.held ?? []).length > 0;
  return admitted.kind === 'notReady' && admitted.reason === 'acquirerHeld';
}
