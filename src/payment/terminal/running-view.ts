import type { SnapshotFrom } from 'xstate';
import { majorText } from '../../base/domain/amount.ts';
import type { Methods } from '../method/methods.ts';
import type { Order } from '../method/order.ts';
import type { MethodSession, Step } from '../method/payment-method.ts';
import type { Scene, ScreenHint, ScreenView } from '../contracts/screen.ts';
import type { transactionMachine } from '../transaction/machine.ts';
import { withLabel, priceOf } from './outcome-view.ts';
import type { Running } from './request.ts';
import type { OptionQuestions } from './option-questions.ts';
import type { Sessions } from './sessions.ts';

export type Snapshot = SnapshotFrom<typeof transactionMachine>;

/** Progress of a transaction besides its state. */
export interface Progressing {
  readonly hint?: ScreenHint | undefined;
  readonly scene?: Scene | undefined;
  /** The content of the question of an option. */
  readonly question?: OptionQuestions['view'];
}

/** The screen's content while a transaction runs; undefined in the machine's first and last states. */
export function runningView(
  snapshot: Snapshot,
  methods: Methods,
  sessions: Sessions,
  progress: Progressing,
): ScreenView | undefined {
  const { value } = snapshot;
  if (typeof value !== 'object') return undefined;
  const { modes, mode, wallets, wallet, payload, conclusion } = snapshot.context;
  const { order } = sessions;
  const cancellable = snapshot.can({ type: 'CANCEL', by: 'merchant' }) ? { cancellable: true } : {};
  if (snapshot.matches('questioning')) {
    const question = conclusion === undefined ? progress.question : undefined;
    const hint = sessions.current?.hintAt?.('asking');
    return {
      ...viewOf(order, question?.scene ?? 'processing'),
      ...(hint === undefined || !question ? {} : { hint }),
      ...question,
      ...cancellable,
    };
  }
  const isCollecting = snapshot.matches('collecting') && conclusion === undefined;
  const scene = isAuthorizing(snapshot) ? (progress.scene ?? 'processing') : sceneOf(snapshot, methods);
  const hint = hintOf(snapshot, sessions.current) ?? snapshot.context.hint ?? progress.hint;
  return withLabel({
    ...viewOf(order, scene),
    ...(hint === undefined ? {} : { hint }),
    ...(isCollecting && scene !== 'processing' ? { modes } : {}),
    ...(mode === undefined ? {} : { mode }),
    ...detailsOf(snapshot, scene, sessions),
    ...(scene === 'presentCode' ? { wallets } : {}),
    ...(scene === 'presentCode' && wallet !== undefined ? { wallet } : {}),
    ...(scene === 'presentCode' && payload !== undefined ? { code: payload } : {}),
    ...cancellable,
  });
}

/** The content of every scene of a payment. */
function viewOf({ id, amount, kind, tipMinor, cashbackMinor }: Order, scene: Scene): ScreenView {
  const major = (minor: bigint) => majorText({ ...amount, minor });
  return {
    scene,
    transaction: id,
    ...priceOf(amount),
    kind,
    ...(tipMinor === 0n ? {} : { tip: major(tipMinor) }),
    ...(cashbackMinor === undefined ? {} : { cashback: major(cashbackMinor) }),
  };
}

/** State and step, as status and events report them. */
export function runningOf(snapshot: Snapshot, methods: Methods, questions?: Pick<OptionQuestions, 'stepAt'>): Running {
  const step = stepOf(snapshot, methods, questions);
  return { state: isAuthorizing(snapshot) ? 'authorizing' : 'collecting', ...(step === undefined ? {} : { step }) };
}

function stepOf(
  snapshot: Snapshot,
  methods: Methods,
  questions: Pick<OptionQuestions, 'stepAt'> | undefined,
): string | undefined {
  const { value } = snapshot;
  if (typeof value !== 'object') return undefined;
  const own = stepAt(snapshot, methods)?.step;
  if (own !== undefined) return own;
  const [, inner] = Object.entries(value)[0] ?? [];
  const step = typeof inner === 'string' ? inner : Object.keys(inner ?? {})[0];
  if (!snapshot.matches('questioning')) return step;
  return questions?.stepAt(step ?? '') ?? step;
}

/** The step of the method that is active; undefined at a step of the machine itself. */
function stepAt(snapshot: Snapshot, methods: Methods): Step | undefined {
  const { mode, asks } = snapshot.context;
  if (mode === undefined || !snapshot.matches('collecting')) return undefined;
  const step = methods.ofMode(mode).mode;
  if (snapshot.matches({ collecting: 'asking' })) return step.questions?.[asks ?? ''];
  const isPresenting =
    snapshot.matches({ collecting: 'presenting' }) || snapshot.matches({ collecting: 'presentingCode' });
  return isPresenting ? step : undefined;
}

function sceneOf(snapshot: Snapshot, methods: Methods): Scene {
  if (snapshot.matches({ collecting: 'choosingMethod' })) return 'chooseMethod';
  return stepAt(snapshot, methods)?.scene ?? 'processing';
}

/** The method's content; that of the default method while the merchant chooses. */
function detailsOf(snapshot: Snapshot, scene: Scene, sessions: Sessions): Partial<ScreenView> {
  const { mode, modes, defaultMode } = snapshot.context;
  const shown = mode ?? (defaultMode !== undefined && modes.includes(defaultMode) ? defaultMode : undefined);
  const details = shown === undefined ? {} : sessions.detailsOf(shown, scene);
  return scene === 'chooseMethod' ? { interfaces: [], ...details } : details;
}

function isAuthorizing(snapshot: Snapshot): boolean {
  return snapshot.matches('authorizing');
}

/** The hint that a step implies. */
function hintOf(snapshot: Snapshot, session: MethodSession | undefined): ScreenHint | undefined {
  if (snapshot.matches({ authorizing: 'atHost' })) return session?.hintAt?.('atHost');
  if (snapshot.matches({ collecting: 'asking' })) return snapshot.context.hint ?? session?.hintAt?.('asking');
  if (snapshot.matches({ collecting: { presentingCode: 'asking' } })) return 'codeComing';
  if (snapshot.matches({ authorizing: 'awaitingCustomer' })) return 'confirmOnPhone';
  if (snapshot.matches({ authorizing: 'withdrawing' })) return 'closingCode';
  if (snapshot.matches({ authorizing: 'completingCard' })) return 'leaveCardIn';
  if (snapshot.matches({ authorizing: 'reversing' })) return 'reversing';
  return undefined;
}
