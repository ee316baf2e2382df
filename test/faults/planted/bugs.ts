import type { Bug } from './bug.ts';
import { acquirersBugs } from './bugs/acquirers.ts';
import { accessBugs } from './bugs/access.ts';
import { bookBugs } from './bugs/books.ts';
import { cloudBugs } from './bugs/cloud.ts';
import { counterBugs } from './bugs/counter.ts';
import { discrepancyBugs } from './bugs/discrepancies.ts';
import { evidenceBugs } from './bugs/evidence.ts';
import { identityBugs } from './bugs/identity.ts';
import { intentsBugs } from './bugs/intents.ts';
import { isoBugs } from './bugs/iso.ts';
import { keyBugs } from './bugs/keys.ts';
import { journalBugs } from './bugs/journal.ts';
import { matterBugs } from './bugs/matters.ts';
import { merchantBugs } from './bugs/merchants.ts';
import { octopusBugs } from './bugs/octopus.ts';
import { optionBugs } from './bugs/options.ts';
import { originsBugs } from './bugs/origins.ts';
import { partBugs } from './bugs/parts.ts';
import { readerBugs } from './bugs/reader.ts';
import { referencesBugs } from './bugs/references.ts';
import { refundBugs } from './bugs/refunds.ts';
import { reportsBugs } from './bugs/reports.ts';
import { reversalsBugs } from './bugs/reversals.ts';
import { settlementBugs } from './bugs/settlement.ts';
import { siteBugs } from './bugs/sites.ts';
import { snapshotBugs } from './bugs/snapshot.ts';
import { shellBugs } from './bugs/shell.ts';
import { tipBugs } from './bugs/tips.ts';
import { waitingBugs } from './bugs/waiting.ts';
import { walletBugs } from './bugs/wallet.ts';

/**
 * Bugs of the kind that costs a customer money, by area. Each piece stands once in its file, or the planting fails.
 */
export const bugs: readonly Bug[] = [
  ...intentsBugs,
  ...evidenceBugs,
  ...matterBugs,
  ...discrepancyBugs,
  ...reversalsBugs,
  ...identityBugs,
  ...referencesBugs,
  ...settlementBugs,
  ...isoBugs,
  ...walletBugs,
  ...octopusBugs,
  ...readerBugs,
  ...journalBugs,
  ...keyBugs,
  ...accessBugs,
  ...acquirersBugs,
  ...optionBugs,
  ...originsBugs,
  ...reportsBugs,
  ...cloudBugs,
  ...bookBugs,
  ...counterBugs,
  ...siteBugs,
  ...snapshotBugs,
  ...shellBugs,
  ...tipBugs,
  ...refundBugs,
  ...waitingBugs,
  ...merchantBugs,
  ...partBugs,
];
