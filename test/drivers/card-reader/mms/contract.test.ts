import { cardReaderContract } from '../contract.ts';
import { mmsStage } from './stage.ts';

cardReaderContract('MagTek MMS', mmsStage);
