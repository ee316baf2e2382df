import { cardReaderContract } from '../contract.ts';
import { neo2Bench } from './hid-bench.ts';

cardReaderContract('ID TECH NEO2, serial', () => neo2Bench('serial'));
cardReaderContract('ID TECH NEO2, HID', () => neo2Bench('hid'));
