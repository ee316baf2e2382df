/**
 * How a transaction ended, from notification 0105: payment technology, reason, detail, extra (D100005000, Table 311).
 * Unverified on hardware.
 */
export type Ending =
  | 'approved'
  | 'declined'
  | 'notAccepted'
  | 'timedOut'
  | 'useChip'
  | 'useMagstripe'
  /** Cancelled, failed, to be tried again, or a code that this driver does not know. */
  | 'other';

const magstripe = 0x08;
const chip = 0x10;
const contactless = 0x20;

/** Reason and detail of the known outcomes; extra shows whether a signature or a fallback is needed. */
const outcomes: ReadonlyMap<string, Ending> = new Map([
  ['0100', 'timedOut'],
  ['0203', 'declined'],
  ['0205', 'notAccepted'],
  ['0206', 'approved'],
  ['0209', 'notAccepted'],
  ['020B', 'notAccepted'],
  ['020F', 'notAccepted'],
  ['0210', 'notAccepted'],
  ['0280', 'declined'],
  ['0407', 'declined'],
]);

const anotherInterface = '0201';

/** Extra of a chip's outcome: technical fallback, MSR fallback. It would contradict an approval or a refusal. */
const fallback: ReadonlySet<string> = new Set(['02', '03']);
const mayFallBack: ReadonlySet<string> = new Set(['0200', '0208', '0209', '020F']);

/** `detail`: six upper-case hex digits. */
export function endingOf(technology: number, detail: string): Ending {
  const outcome = detail.slice(0, 4);
  if (technology === chip && mayFallBack.has(outcome) && fallback.has(detail.slice(4))) return 'useMagstripe';
  if (outcome === anotherInterface) return otherInterface.get(technology) ?? 'other';
  return outcomes.get(outcome) ?? 'other';
}

/** For the magstripe it is assumed: the card's service code names a chip. */
const otherInterface: ReadonlyMap<number, Ending> = new Map([
  [magstripe, 'useChip'],
  [chip, 'useMagstripe'],
  [contactless, 'useChip'],
]);
