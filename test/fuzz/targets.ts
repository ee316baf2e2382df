import type { Target } from './target.ts';
import { apiJson } from './targets/api.ts';
import { brokerPackets, packetGuard } from './targets/broker.ts';
import { cardNumbers } from './targets/card-number.ts';
import { configurationFiles } from './targets/configuration.ts';
import { dialectFiles, dialectMessages } from './targets/dialect.ts';
import { emvTlv } from './targets/emv.ts';
import { fleetDocuments } from './targets/fleet.ts';
import { httpEdges } from './targets/http.ts';
import { isoAnswers, isoFrames, isoMessages } from './targets/iso8583.ts';
import { mmsCard, mmsMessages, mmsReports } from './targets/mms.ts';
import { neo2Card, neo2Frames, neo2Reports } from './targets/neo2.ts';
import { nexoMessages } from './targets/nexo.ts';
import { octopusLines } from './targets/octopus.ts';
import { pairingBodies } from './targets/pairing.ts';
import { pngPictures } from './targets/png.ts';
import { printerAnswers } from './targets/printer.ts';
import { qrCodes, qrDrawn } from './targets/qr.ts';
import { scannerLines } from './targets/scanner.ts';
import { screenActions } from './targets/screen.ts';
import { signatureFields } from './targets/signature.ts';
import { pemFiles, tlsEdges } from './targets/tls.ts';
import { walletAnswers } from './targets/wallet.ts';

/** Everything that reads what others have written; those that take longest come first. */
export const targets: readonly Target[] = [
  httpEdges,
  tlsEdges,
  brokerPackets,
  qrDrawn,
  apiJson,
  walletAnswers,
  configurationFiles,
  dialectFiles,
  neo2Frames,
  neo2Reports,
  neo2Card,
  mmsReports,
  mmsMessages,
  mmsCard,
  isoFrames,
  isoMessages,
  isoAnswers,
  dialectMessages,
  emvTlv,
  qrCodes,
  pngPictures,
  scannerLines,
  printerAnswers,
  octopusLines,
  screenActions,
  signatureFields,
  cardNumbers,
  packetGuard,
  fleetDocuments,
  pairingBodies,
  nexoMessages,
  pemFiles,
];
