import { cardReaderContract } from '../contract.ts';
import { mmsBench } from './bench.ts';

cardReaderContract('MagTek MMS', mmsBench);
