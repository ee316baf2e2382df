import { cardReaderContract } from '../contract.ts';
import { neo2Stage } from './hid-stage.ts';

cardReaderContract('ID TECH NEO2, serial', () => neo2Stage('serial'));
cardReaderContract('ID TECH NEO2, HID', () => neo2Stage('hid'));
