import {
  type SignatureAction,
  type SignatureFields,
  type SignatureView,
  type Signed,
  signatureEvent,
  signatureScreen,
} from './signature/contract.ts';
import { type TipAction, type TipChosen, type TipView, tipEvent, tipScreen } from './tip/contract.ts';

/** An event that an option writes into the log of a transaction. */
interface EventModule {
  /** The journal schema that introduces its kind (payment/events/format.ts). */
  readonly since: number;
  /** Whether an event of the journal has everything that its kind has in every version. */
  readonly isWhole: (event: object) => boolean;
  /** The record after it. */
  readonly fold: (record: never, event: never) => object;
}

/**
 * The events of the options, by kind. They are read whether or not the option is configured. An option whose answer
 * adds to the amount needs none: it has optionAnswered.
 */
const modules = { tipChosen: tipEvent, signed: signatureEvent } as const satisfies Record<string, EventModule>;

export type OptionEvent = TipChosen | Signed;

/** The fields of a record that only these events set. */
export type OptionFields = SignatureFields;

export const optionEvents: Readonly<Record<OptionEvent['kind'], EventModule>> = modules;

export function isOptionEvent<Event extends { readonly kind: string }>(
  event: Event,
): event is Extract<Event, { readonly kind: OptionEvent['kind'] }> {
  return Object.hasOwn(optionEvents, event.kind);
}

/** The record after an event of an option. */
export function withOptionEvent<Each extends Parameters<typeof tipEvent.fold>[0] & OptionFields>(
  record: Each,
  event: OptionEvent,
): Each {
  return (optionEvents[event.kind].fold as (record: Each, event: OptionEvent) => Each)(record, event);
}

/** The scenes of the options, and their hints. */
export const optionScenes = [...tipScreen.scenes, ...signatureScreen.scenes] as const;
export const optionHints = [...tipScreen.hints, ...signatureScreen.hints] as const;

/** Their additions to the content of the screen. */
export type OptionView = TipView & SignatureView;

/** The actions of their scenes. */
export type OptionAction = TipAction | SignatureAction;
