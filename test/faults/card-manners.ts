import type { Dice } from './dice.ts';

/** Kinds of message that a host may refuse for ever. */
export type Refusable = 'reversal' | 'advice' | 'settlement' | 'upload';

/** Behaviour of one host during a whole schedule. */
export interface HostManners {
  /** A repeated request gets the first answer again; otherwise code 94. */
  readonly answersAgain: boolean;
  /**
   * A request that comes after its reversal is refused if it was on the wire for this long; otherwise it is carried
   * out.
   */
  readonly refusesAfterMs: number;
  readonly declines: number;
  /** Percentage of reversals and advices that it can't accept now. */
  readonly busy: number;
  readonly rejectsAdvice: number;
  readonly mismatches: number;
  /** Field 39 of approved requests and advices. */
  readonly approvals: readonly string[];
  /**
   * A repeated advice gets the first answer again, or code 94 for ever; or, from a host that does not compare numbers,
   * code 12, because what it refers to is not as it was.
   */
  readonly adviceAgain: 'answered' | 'duplicate' | 'rejected';
  /** Accepted currencies, ISO 4217 in digits. */
  readonly currencies: readonly string[];
  /** A batch upload of a settled transaction: acknowledged, counted again, or refused. */
  readonly settledUpload: 'known' | 'counted' | 'refused';
  /** A batch upload of an unknown transaction or another amount: posted; otherwise refused. */
  readonly takesUploads: boolean;
  /**
   * A repeated settlement: confirmed, refused for ever, or compared with the open batch, because the host keeps only
   * one.
   */
  readonly settledAgain: 'confirmed' | 'refused' | 'forgotten';
  /** Percentage of settlements that it refuses, some of them after carrying them out. */
  readonly refusesSettlement: number;
  /** Messages that it never accepts, and the code of the refusal. */
  readonly never: Readonly<Partial<Record<Refusable, string>>>;
  /** Percentage of undecided requests (68, 91, 96) that are posted later all the same. */
  readonly postsUndecided: number;
  /** It answers "wrong PIN", and some time later carries the request out all the same. */
  readonly reconsiders: boolean;
  /** Each n-th message of a batch upload is lost on its way; 0 for none. */
  readonly dropsUpload: number;
  /** Frames of length zero on an idle line and before an answer. */
  readonly keepsAlive: boolean;
}

/**
 * The configured default, counted from the moment a request was given to its link, which may have to connect first.
 */
export const graceMs = 55_000;

/** Draws a host's permanent behaviour: the same for the whole schedule, including its fault-free end. */
export function drawnManners(dice: Dice, currencies: readonly string[]): HostManners {
  const refused: Readonly<Partial<Record<Refusable, string>>> = dice.of([
    { reversal: '12' },
    { reversal: '96' },
    { advice: '96' },
    { advice: '57' },
    { settlement: '96' },
    { upload: '12' },
  ]);
  const settledUpload = dice.of(['known', 'counted', 'refused'] as const);
  return {
    ...politeManners,
    answersAgain: dice.odds(50),
    adviceAgain: dice.odds(70) ? 'answered' : dice.of(['duplicate', 'rejected'] as const),
    approvals: dice.odds(70) ? ['00'] : ['00', '08', '11', '16'],
    currencies: currencies.filter((each) => each === '344' || dice.odds(80)),
    settledUpload,
    takesUploads: dice.odds(50),
    // A host that detects neither a settled batch nor its settled transactions counts them twice, whatever a terminal
    // does.
    settledAgain: dice.of(
      settledUpload === 'counted'
        ? (['confirmed', 'refused'] as const)
        : (['confirmed', 'refused', 'forgotten'] as const),
    ),
    postsUndecided: dice.of([0, 50]),
    reconsiders: dice.odds(30),
    keepsAlive: dice.odds(30),
    never: dice.odds(6) ? refused : {},
    dropsUpload: dice.of([0, 0, 2, 3, 7]),
  };
}

export const politeManners: HostManners = {
  answersAgain: true,
  refusesAfterMs: 0,
  declines: 0,
  busy: 0,
  rejectsAdvice: 0,
  mismatches: 0,
  approvals: ['00'],
  adviceAgain: 'answered',
  currencies: ['344'],
  settledUpload: 'known',
  takesUploads: false,
  settledAgain: 'confirmed',
  refusesSettlement: 0,
  never: {},
  postsUndecided: 0,
  reconsiders: false,
  dropsUpload: 0,
  keepsAlive: false,
};
