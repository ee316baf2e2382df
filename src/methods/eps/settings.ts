import type { Contradiction } from '../../config/contradiction.ts';
import type { MethodSettings } from '../../config/settings-part.ts';
import { sample } from '../card/settings.ts';

/** The keys of the configuration that are read here. */
interface Checked {
  readonly acquirers: readonly { readonly id: string; readonly currencies: readonly string[] }[];
}

/** EPS has an acquirer of the form that cards have. */
export const epsSettings = {
  equipment: {},
  sections: {},
  timeouts: {},
  fleet: [],
  samples: { EPS: sample('EPS', ['EPS']) },
  contradictions: ({ acquirers }: Checked): Contradiction[] =>
    acquirers.flatMap((each, at) =>
      each.id === 'EPS' && each.currencies.some((currency) => currency !== 'HKD')
        ? [{ path: ['acquirers', at, 'currencies'], message: 'is HKD alone for EPS' }]
        : [],
    ),
} satisfies MethodSettings;
