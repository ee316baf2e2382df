import { fail, type Finding, pass, skip } from '../finding.ts';
import type { Person } from './person.ts';

export const unattended = 'needs a person: without --unattended it is asked';

/** Findings that only the operator can make. */
export async function askPerson(
  part: string,
  question: string,
  person: Person | undefined,
  remedy: string,
): Promise<Finding> {
  const answer = await person?.confirm(question);
  if (answer === undefined) return skip(part, person ? 'nobody answered' : unattended);
  return answer ? pass(part, 'seen by a person') : fail(part, 'a person says no', remedy);
}
