import type { Means } from '../transaction/means.ts';
import type { RunParts } from './parts.ts';

/** What payments are planned with. */
export function meansOf({ profiles, methods, tips }: Pick<RunParts, 'profiles' | 'methods' | 'tips'>): Means {
  return { profiles, modes: methods.modes, tips };
}
