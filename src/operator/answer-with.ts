import type { MenuAnswer } from '../payment/contracts/operator-menu.ts';
import type { MenuBodies } from './menu-bodies.ts';

/** The answer to a request of this kind, with the body type that the page reads. */
export function answerWith<Kind extends keyof MenuBodies>(_kind: Kind, body: MenuBodies[Kind]): MenuAnswer {
  return { status: 200, body: { ...body } };
}
