import { Dice } from './dice.ts';

/** One in this number of schedules, by its seed, has authentication codes. */
const codesEvery = 5;
/** One in this number of schedules, by its seed, has hosts with two sites. */
const sitesEvery = 8;
/** One in this number of schedules, by its seed, has a terminal with two merchants. */
const merchantsEvery = 4;
/** One in this number of schedules has hosts that approve a part of some sales. */
const partsEvery = 4;

/** The merchants, sites, authentication codes and partial approvals of a schedule. */
export interface Features {
  /** The keys of authentication codes. */
  readonly keys: 'none' | 'fixed' | 'working';
  /** The probability of each fault of working keys, percent. */
  readonly keyOdds: number;
  readonly sites: 'one' | 'shared books' | 'own books';
  /** How often a site becomes unavailable after it has carried out a request, percent. */
  readonly awayOdds: number;
  /** Whether most customers pay by card, over lines that lose fewer messages. */
  readonly prefersCards: boolean;
  readonly hasMerchants: boolean;
  readonly hasParts: boolean;
}

/** Whether a schedule has authentication codes or hosts with two sites. */
export function isSecured(seed: number): boolean {
  return hasCodes(seed) || hasSites(seed);
}

/**
 * Draws the features with a separate generator. With working keys or separate books, merchants and partial approvals
 * are drawn once more, and with working keys also a second site, so that every combination is possible.
 */
export function drawnFeatures(seed: number): Features {
  const dice = new Dice(seed ^ 0x243f6a88);
  const hasMerchants = seed % merchantsEvery === 1;
  const hasParts = seed % partsEvery === 2;
  const isOwn = hasSites(seed) && dice.odds(50);
  const isWorking = (hasCodes(seed) && dice.odds(50)) || (isOwn && dice.odds(40));
  const second = hasSites(seed) || (isWorking && dice.odds(30));
  const isShared = second && !isOwn && (hasSites(seed) || dice.odds(50));
  const isNew = isOwn || isWorking;
  const awayOdds = second ? dice.of([0, 30, 70]) : 0;
  return {
    keys: isWorking ? 'working' : hasCodes(seed) ? 'fixed' : 'none',
    keyOdds: dice.of([5, 20, 50]),
    sites: second ? (isShared ? 'shared books' : 'own books') : 'one',
    awayOdds,
    prefersCards: isNew || awayOdds > 0,
    hasMerchants: hasMerchants || (isNew && dice.odds(25)),
    hasParts: hasParts || (isNew && dice.odds(25)),
  };
}

function hasCodes(seed: number): boolean {
  return seed % codesEvery === 4;
}

function hasSites(seed: number): boolean {
  return seed % sitesEvery === 3;
}
