import type { DeskAnswer } from '../payment/contracts/desk.ts';
import type { DeskBodies } from './desk-bodies.ts';

/** The answer to a request of this kind: the page reads what the type of its body says. */
export function answerWith<Kind extends keyof DeskBodies>(_kind: Kind, body: DeskBodies[Kind]): DeskAnswer {
  return { status: 200, body: { ...body } };
}
