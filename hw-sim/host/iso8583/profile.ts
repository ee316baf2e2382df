import type { Operation, OperationName } from './operation.ts';

/** Differences of a host's dialect, as data: another host is another entry. */
export interface Profile {
  readonly operations: readonly Operation[];
  /** Meaning of field 54 of a sale: the tip, or the cash back. Both are part of field 4. */
  readonly field54: 'tip' | 'cash';
  /** mandatory: every presented card needs a PIN. optional: a PIN is verified if present. */
  readonly pin: 'mandatory' | 'optional';
}

export type ProfileName = 'cards' | 'eps';

const presented = [3, 4, 11, 22, 24, 25, 41, 42, 48, 62];
// 49 may be left out with a chip's own data, because 5F2A names the currency; 52 and 53 are a PIN.
const presentedToo = [23, 49, 52, 53, 54, 55];
const card = { mandatory: presented, optional: presentedToo, withCard: true } as const;
const referring = [3, 4, 11, 12, 13, 22, 24, 25, 37, 38, 41, 42, 48, 49, 62];
/** The data that the host answered to the original. */
const answered = [12, 13, 37, 38];
const closing = [3, 11, 24, 41, 42, 49, 60, 63];
const amount = /^\d{12}$/;

/** By the host's number of the original; or, if the terminal does not know it, by field 60. */
function voids(name: OperationName, processing: RegExp, optional: readonly number[]): readonly Operation[] {
  const byNumber = { name, types: ['0200'], processing, optional, mandatory: without(referring, optional) };
  const byTrace = { ...byNumber, mandatory: [...without(referring, answered), 60], optional: [] };
  return [{ ...byNumber, marked: [37] }, { ...byTrace, marked: [60], field60: /^0[12][02]0\d{6}$/ }, byNumber];
}

function without(fields: readonly number[], others: readonly number[]): readonly number[] {
  return fields.filter((field) => !others.includes(field));
}

/** Every operation of a host that takes cards. */
const cardOperations: readonly Operation[] = [
  { name: 'sale', types: ['0200'], processing: /^00\d{4}$/, ...card },
  { name: 'auth', types: ['0100'], processing: /^00\d{4}$/, ...card },
  { name: 'refund', types: ['0200'], processing: /^20\d{4}$/, ...card },
  ...voids('void', /^02\d{4}$/, []),
  ...voids('void of a refund', /^22\d{4}$/, [38]),
  {
    name: 'completion',
    types: ['0220', '0221'],
    processing: /^00\d{4}$/,
    mandatory: [...referring, 39, 60],
    optional: [],
    field60: amount,
    marked: [37, 60],
  },
  {
    name: 'offline sale',
    types: ['0220', '0221'],
    processing: /^00\d{4}$/,
    mandatory: referring.filter((field) => field !== 37),
    optional: [23, 54, 55],
  },
  {
    name: 'tip adjust',
    types: ['0220', '0221'],
    processing: /^02\d{4}$/,
    mandatory: [...referring, 54, 60],
    optional: [],
    field60: amount,
  },
  {
    name: 'reversal',
    types: ['0400', '0401'],
    processing: /^\d{6}$/,
    mandatory: [3, 4, 11, 24, 41, 42, 48],
    optional: [22, 23, 25, 49, 62],
  },
  {
    name: 'settlement',
    types: ['0500', '0501'],
    processing: /^920000$/,
    mandatory: closing,
    optional: [],
    field60: /^\d{6}$/,
  },
  {
    name: 'trailer',
    types: ['0500', '0501'],
    processing: /^960000$/,
    mandatory: closing,
    optional: [],
    field60: /^\d{6}$/,
  },
  {
    name: 'upload',
    types: ['0320', '0321'],
    processing: /^[02]0000[01]$/,
    mandatory: [...without(referring, answered), 60],
    optional: answered,
    field60: /^02[02]0\d{6}$/,
  },
  { name: 'echo', types: ['0800'], processing: /^\d{6}$/, mandatory: [], optional: [3, 11, 24, 41] },
];

const neutral = new Set<OperationName>(['reversal', 'settlement', 'trailer', 'echo']);

/** Sale only, from an account that the customer chose, and the operations that every host has. */
const epsOperations: readonly Operation[] = [
  { name: 'sale', types: ['0200'], processing: /^0[09][12]000$/, ...card, cash: true },
  {
    name: 'upload',
    types: ['0320', '0321'],
    processing: /^0[09][12]00[01]$/,
    mandatory: [...without(referring, answered), 60],
    optional: answered,
    field60: /^0200\d{6}$/,
  },
  ...cardOperations.filter(({ name }) => neutral.has(name)),
];

/** cards: EDC and CUP. eps: simulated, because the operator's own format is not public (fixtures/README.md). */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  cards: { operations: cardOperations, field54: 'tip', pin: 'optional' },
  eps: { operations: epsOperations, field54: 'cash', pin: 'mandatory' },
};

const known = new Set(cardOperations.flatMap(({ types }) => types));

/** Whether the dialect has this message type, even if not every host accepts it. */
export function isKnownType(mti: string): boolean {
  return known.has(mti);
}
