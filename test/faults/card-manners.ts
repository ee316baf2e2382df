import type { Dice } from './dice.ts';

/** Messages that a host may refuse for ever, whatever is sent. */
export type Refusable = 'reversal' | 'advice' | 'settlement' | 'upload';

/** How one host behaves, for a whole schedule. */
export interface HostManners {
  /** A request once more gets its answer once more; else code 94. */
  readonly answersAgain: boolean;
  /** What was reversed before it came is refused where it was that long on its way: before, the host has forgotten its own word. */
  readonly refusesAfterMs: number;
  readonly declines: number;
  /** Of reversals and advices that it can't take now, percent. */
  readonly busy: number;
  readonly rejectsAdvice: number;
  readonly mismatches: number;
  /** Field 39 of what it approves, requests and advices alike. */
  readonly approvals: readonly string[];
  /** A repeated advice that it has gets its answer once more; else code 94, for ever. */
  readonly answersAdviceAgain: boolean;
  /** ISO 4217, in digits: what it takes in no other currency. */
  readonly currencies: readonly string[];
  /** A batch upload that names what is settled already: it is known, counted once more, or refused. */
  readonly settledUpload: 'known' | 'counted' | 'refused';
  /** What a batch upload names is posted by it where it was not there, or not with that amount; else it is refused. */
  readonly takesUploads: boolean;
  /** A settlement of what it has settled: confirmed, refused for ever, or compared with the open batch, as it keeps only one. */
  readonly settledAgain: 'confirmed' | 'refused' | 'forgotten';
  /** Of settlements that it says it can't carry out, percent; some of them it has. */
  readonly refusesSettlement: number;
  /** What it never takes, and the code that it says so with. */
  readonly never: Readonly<Partial<Record<Refusable, string>>>;
  /** It could not decide (68, 91, 96), and something behind it posts the request all the same, percent. */
  readonly postsUndecided: number;
  /** It says "wrong PIN", and some time later carries the request out all the same. */
  readonly reconsiders: boolean;
  /** Frames of length zero on an idle line and before an answer. */
  readonly keepsAlive: boolean;
}

/** As configured where nobody says otherwise, since a request was given to its link, which may have had to be dialled first. */
export const graceMs = 55_000;

/** What a host may be like, for ever: the same for the whole schedule and the peace after it. */
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
    answersAdviceAgain: dice.odds(70),
    approvals: dice.odds(70) ? ['00'] : ['00', '08', '11', '16'],
    currencies: currencies.filter((each) => each === '344' || dice.odds(80)),
    settledUpload,
    takesUploads: dice.odds(50),
    // Who neither knows that a batch is settled nor that its transactions are counts them twice, whatever a terminal does.
    settledAgain: dice.of(
      settledUpload === 'counted'
        ? (['confirmed', 'refused'] as const)
        : (['confirmed', 'refused', 'forgotten'] as const),
    ),
    postsUndecided: dice.of([0, 50]),
    reconsiders: dice.odds(30),
    keepsAlive: dice.odds(30),
    never: dice.odds(6) ? refused : {},
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
  answersAdviceAgain: true,
  currencies: ['344'],
  settledUpload: 'known',
  takesUploads: false,
  settledAgain: 'confirmed',
  refusesSettlement: 0,
  never: {},
  postsUndecided: 0,
  reconsiders: false,
  keepsAlive: false,
};
