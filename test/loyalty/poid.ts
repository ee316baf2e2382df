// `poid` with one payment method more: what a maker of such a card adds to the product.
import { registerRoom } from '../../src/main/composition/rooms.ts';
import { loyalty } from './room/method.ts';

registerRoom(loyalty);
await import('../../src/main/cli.ts');
