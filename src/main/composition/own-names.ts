import { hostname } from 'node:os';
import { localName } from '../../base/domain/local-name.ts';

/** What multicast DNS calls this machine. No other .local name is ours: a web page that has one may not call. */
export function ownNames(): readonly string[] {
  const own = localName(hostname());
  return own === undefined ? [] : [own];
}
