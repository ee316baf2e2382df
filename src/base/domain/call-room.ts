/**
 * Calls that share one limit. The calls with which a POS recovers have one of their own, so that waiting payments can't
 * block them.
 */
export type CallRoom = 'payment' | 'recovery' | 'other';

const rooms: Readonly<Record<string, CallRoom>> = {
  '/sp/v1/payment': 'payment',
  '/sp/v1/settlement': 'payment',
  '/sp/v1/cancel': 'recovery',
  '/sp/v1/enquiry': 'recovery',
};

/** `target`: path and query. */
export function callRoomOf(target: string): CallRoom {
  const [path = ''] = target.split('?');
  return Object.hasOwn(rooms, path) ? (rooms[path] ?? 'other') : 'other';
}
