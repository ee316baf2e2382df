import type { Target } from './target.ts';
import { apiJson } from './targets/api.ts';
import { configurationFiles } from './targets/configuration.ts';
import { emvTlv } from './targets/emv.ts';
import { httpEdges } from './targets/http.ts';
import { isoAnswers, isoFrames, isoMessages } from './targets/iso8583.ts';
import { mmsCard, mmsMessages, mmsReports } from './targets/mms.ts';
import { neo2Card, neo2Frames, neo2Reports } from './targets/neo2.ts';
import { octopusLines } from './targets/octopus.ts';
import { printerAnswers } from './targets/printer.ts';
import { qrCodes, qrDrawn } from './targets/qr.ts';
import { scannerLines } from './targets/scanner.ts';
import { screenActions } from './targets/screen.ts';
import { signatureFields } from './targets/signature.ts';
import { walletAnswers } from './targets/wallet.ts';

/** Everything that reads what others have written; those that take longest come first. */
export const targets: readonly Target[] = [
  httpEdges,
  qrDrawn,
  apiJson,
  walletAnswers,
  configurationFiles,
  neo2Frames,
  neo2Reports,
  neo2Card,
  mmsReports,
  mmsMessages,
  mmsCard,
  isoFrames,
  isoMessages,
  isoAnswers,
  emvTlv,
  qrCodes,
  scannerLines,
  printerAnswers,
  octopusLines,
  screenActions,
  signatureFields,
];
