import type { PaymentInstrument } from '../payment/events/payment-instrument.ts';
import { type CashAction, type CashIntent, type CashView, cashForm, cashScreen } from './cash/contract.ts';
import { type OctopusIntent, octopusForm, octopusScreen } from './octopus/contract.ts';
import { type WalletAction, type WalletIntent, type WalletView, walletForm, walletScreen } from './wallet/contract.ts';

/** The intents of methods with a form of their own in the journal. Another method needs none: it has MethodIntent. */
export type OwnIntent = WalletIntent | OctopusIntent | CashIntent;

/** Their forms. An intent has the form whose field it has. */
export const intentForms = [walletForm, octopusForm, cashForm] as const;

/** The means of payment of such an intent. */
export function ownInstrumentOf(intent: OwnIntent): PaymentInstrument {
  const form = intentForms.find(({ field }) => field in intent);
  if (!form) throw new Error('an intent of an unknown form');
  return (form.instrumentOf as (intent: OwnIntent) => PaymentInstrument)(intent);
}

/** The scenes of the methods, and their hints. */
export const methodScenes = [...walletScreen.scenes, ...octopusScreen.scenes, ...cashScreen.scenes] as const;
export const methodHints = [...walletScreen.hints, ...octopusScreen.hints, ...cashScreen.hints] as const;

/** Their additions to the content of the screen. */
export type MethodView = WalletView & CashView;

/** The actions of their scenes. */
export type MethodAction = WalletAction | CashAction;
