import type { SetAsideParts } from '../../src/operator/waiting.ts';

/** An acquirer that learns nothing by itself: the operator's decision is written at once. */
export const decidesAtOnce: SetAsideParts['decide'] = async (_acquirer, _id, write) => {
  await write(true);
  return true;
};
