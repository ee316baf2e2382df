import type { Configuration } from '../config/configuration.ts';
import { card } from '../methods/card/module.ts';
import { cash } from '../methods/cash/module.ts';
import { eps } from '../methods/eps/module.ts';
import { octopus } from '../methods/octopus/module.ts';
import { wallet } from '../methods/wallet/module.ts';
import { registerDescription } from '../payment/method/descriptions.ts';
import type { PaymentMethodModule } from '../payment/method/payment-method-module.ts';

/** The payment methods, in the order in which they are offered to the merchant. A new one is a line here. */
const modules: PaymentMethodModule<Configuration>[] = [card, wallet, octopus, eps, cash];

for (const { description } of modules) registerDescription(description);

export const paymentMethods: readonly PaymentMethodModule<Configuration>[] = modules;

/** Adds a payment method to a program that is built with it. Called once, before the terminal starts. */
export function registerMethod(module: PaymentMethodModule): void {
  registerDescription(module.description);
  modules.push(module);
}
