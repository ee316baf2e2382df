/**
 * Why a batch was not settled: the sentence of each cause, or how it begins where a detail follows. Settlements are
 * journalled and reported with the sentence; a display in another language finds the cause by it.
 */
export const settlementFaults = {
  hostUnreachable: 'the host can’t be reached',
  hostSilent: 'the host did not answer',
  hostRefuses: 'the host refused the settlement',
  uploadRefused: 'the host refused a transaction of the batch upload',
  uploadRejected: 'the host rejected every transaction of the batch upload',
  booksDiffer: 'the totals differ from the host’s even after the batch upload',
  orderMissing: 'the host’s books do not show ',
  orderDiffers: 'the host’s books show ',
  orderUntold: 'the host did not tell the state of ',
  olderCopy: 'the batch is from an older copy of the journal that was restored',
  settledAfterAll: 'the host has settled it after all',
  stopping: 'the terminal is stopping',
  paymentRuns: 'a payment is under way',
  queueWaits: 'reversals or advices have not reached the host',
  keepsChanging: 'its transactions keep changing',
  oneStuck: 'transaction ',
  totalTooLarge: 'the total in ',
  notBuilt: 'no message can be built for it',
  readerRefused: 'the reader refused to upload',
  readerSilent: 'the Octopus reader did not answer',
} as const;
export type SettlementFault = keyof typeof settlementFaults;

/** The cause of a sentence; undefined for one of another version. */
export function settlementFaultOf(sentence: string): SettlementFault | undefined {
  const known = Object.keys(settlementFaults) as SettlementFault[];
  return known.find((fault) => sentence.startsWith(settlementFaults[fault]));
}

/** Who must act. `terminal`: no person, because the terminal tries again. */
export const settlementActors = ['terminal', 'network', 'reader', 'technician', 'octopus', 'bank'] as const;
export type SettlementActor = (typeof settlementActors)[number];

const actors: Partial<Record<SettlementFault, SettlementActor>> = {
  hostUnreachable: 'network',
  hostSilent: 'terminal',
  orderUntold: 'terminal',
  stopping: 'terminal',
  paymentRuns: 'terminal',
  queueWaits: 'terminal',
  keepsChanging: 'terminal',
  notBuilt: 'technician',
  readerRefused: 'octopus',
  readerSilent: 'reader',
};

/** Who must act after a settlement failed for this reason: the bank, unless the reason says otherwise. */
export function settlementActorOf(sentence: string): SettlementActor {
  const fault = settlementFaultOf(sentence);
  return (fault && actors[fault]) ?? 'bank';
}
