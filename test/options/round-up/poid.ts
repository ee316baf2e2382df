// `poid` with one sale option more: what a merchant's integrator adds to the product.
import { registerOption } from '../../../src/main/sale-options.ts';
import { roundUp } from './round-up.ts';

registerOption(roundUp);
await import('../../../src/main/cli.ts');
