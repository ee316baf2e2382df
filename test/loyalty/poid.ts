// `poid` with one payment method more: what a maker of such a card adds to the product.
import { registerMethod } from '../../src/main/methods.ts';
import { loyalty } from './method/module.ts';

registerMethod(loyalty);
await import('../../src/main/cli.ts');
