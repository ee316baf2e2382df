import { fromPromise } from 'xstate';
import type { CollectMode } from '../../../base/domain/payment-scheme.ts';
import type { OptionAnswer } from '../../options/option-question.ts';
import type { Conclusion } from '../../events/conclusion.ts';
import type {
  Answered,
  Asking,
  Authorization,
  CodeRequest,
  Collecting,
  Kept,
  Presentation,
  Withdrawal,
} from './outcomes.ts';

/** `signal` is aborted when the state that called it is left. */
type Actor<Given, Output> = (given: Given, signal: AbortSignal) => Promise<Output>;

/** The calls of the machine for one payment. */
export interface TransactionActors {
  /**
   * Makes the answer to an option's question durable, and plans the payment with it. Undefined: no answer came in time.
   */
  readonly keepAnswer: Actor<OptionAnswer | undefined, Kept>;
  /** Arms the devices of the mode. With `undefined` the default mode is armed while the merchant chooses. */
  readonly collect: Actor<CollectMode | undefined, Collecting>;
  /** Asks the customer a question of the method. */
  readonly ask: Actor<Asking, Answered>;
  /** Resolves once no device is armed. */
  readonly disarm: Actor<void, void>;
  /** Requests a code from the wallet's host; its intent is durable before. */
  readonly askCode: Actor<CodeRequest, Presentation>;
  /** Enquires until the customer has paid, or can't pay any more. */
  readonly awaitPayment: Actor<void, Withdrawal>;
  /** Closes an order that the customer might still pay, and finds out whether the customer had paid before. */
  readonly withdraw: Actor<void, Withdrawal>;
  readonly authorize: Actor<void, Authorization>;
  /** Gives the host's answer to the chip. */
  readonly completeCard: Actor<void, Authorization>;
  /** Gives the queued reversal its first attempt, for a limited time. */
  readonly reverse: Actor<void, void>;
  /** Makes the conclusion durable. */
  readonly conclude: Actor<Conclusion, void>;
}

type GivenTo<Name extends keyof TransactionActors> = Parameters<TransactionActors[Name]>[0];
type OutputOf<Name extends keyof TransactionActors> = Awaited<ReturnType<TransactionActors[Name]>>;

interface ActorInput<Name extends keyof TransactionActors> {
  readonly actors: TransactionActors;
  readonly given: GivenTo<Name>;
}

/** An actor of the machine, which is built once for all payments: it calls those of the payment that invokes it. */
export function actorOf<Name extends keyof TransactionActors>(name: Name) {
  return fromPromise<OutputOf<Name>, ActorInput<Name>>(({ input: { actors, given }, signal }) =>
    (actors[name] as Actor<GivenTo<Name>, OutputOf<Name>>)(given, signal),
  );
}
