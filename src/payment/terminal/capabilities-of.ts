import type { TerminalCapabilities } from '../transaction/terminal-capabilities.ts';
import { isImpossible, type Plan, planPayment } from '../transaction/plan.ts';
import type { PayAnswer } from './answers.ts';
import type { RunParts } from './parts.ts';
import type { PaymentRequest } from './request.ts';

/** What payments are planned with. */
export function capabilitiesOf({
  profiles,
  methods,
  options = [],
}: Pick<RunParts, 'profiles' | 'methods' | 'options'>): TerminalCapabilities {
  return { profiles, modes: methods.modes, options };
}

/** What a request may do can have changed while it waited: an acquirer takes payments again. */
export function planAgain(
  run: { readonly request: PaymentRequest; plan: Plan },
  parts: Parameters<typeof capabilitiesOf>[0],
): void {
  const plan = planPayment(run.request, capabilitiesOf(parts));
  if (!isImpossible(plan) && !plan.collects.notReady) run.plan = plan;
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
