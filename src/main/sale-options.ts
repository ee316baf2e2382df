import type { Configuration } from '../config/configuration.ts';
import { signatureOption } from '../options/signature/option.ts';
import { tipOption } from '../options/tip/option.ts';
import { registerOptionDescription } from '../payment/options/descriptions.ts';
import type { SaleOptionModule } from '../payment/options/option-module.ts';
import type { SaleOption } from '../payment/options/sale-option.ts';
import { refuseConfiguration } from './composition/start-error.ts';

/** Undefined where the configuration does not have it. */
type Opens = (configuration: Configuration) => SaleOption | undefined;

/** The options of the product, in the order in which they ask. A new one is a line here. */
const builtIn: readonly Opens[] = [
  ({ tips, rules, timeouts }) =>
    tipOption({ terms: tips && { ...tips, percentMax: rules.tipPercentMax }, timeoutMs: timeouts.tipMs }),
  ({ receipt, timeouts }) =>
    receipt.signature === 'screen' ? signatureOption({ timeoutMs: timeouts.signatureMs }) : undefined,
];

const added = new Map<string, SaleOptionModule>();

/** Adds a sale option to this terminal. Called once, before the terminal starts. */
export function registerOption(module: SaleOptionModule): void {
  registerOptionDescription(module.description);
  added.set(module.description.name, module);
}

/**
 * The options of this terminal. Throws StartError for an entry of `options` that is unknown or has invalid settings.
 */
export function openOptions(configuration: Configuration): readonly SaleOption[] {
  return [...builtIn.flatMap((open) => open(configuration) ?? []), ...openFurther(configuration)];
}

function openFurther({ options }: Configuration): readonly SaleOption[] {
  try {
    return Object.entries(options).map(([name, settings]) => {
      const module = added.get(name);
      if (!module) throw new RangeError(`options.${name} names no sale option of this terminal`);
      return module.open(settings);
    });
  } catch (error) {
    return refuseConfiguration(error);
  }
}
