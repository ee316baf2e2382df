// `poid` with one protocol of POS more: what an integrator adds to the product.
import { registerProtocol } from '../../../src/main/pos-protocols.ts';
import { lines } from './lines.ts';

registerProtocol(lines);
await import('../../../src/main/cli.ts');
