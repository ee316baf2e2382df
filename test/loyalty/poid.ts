// `poid` with one payment method more: what a maker of such a card adds to the product.
import { registerMethod } from '../../src/main/composition/method-modules.ts';
import { loyalty } from './room/method.ts';

registerMethod(loyalty);
await import('../../src/main/cli.ts');
