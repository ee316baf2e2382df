/** @import { MenuView, View } from './types.ts' */

/**
 * Calls `onView` with every view, and with undefined when the connection is lost. Calls `onDesk` with each view of the
 * menu.
 * @type {(onView: (view: View | undefined) => void, onDesk: (view: MenuView) => void) => void}
 */
export function watch(onView, onMenu) {
  const events = new EventSource('events');
  events.addEventListener('message', ({ data }) => onView(JSON.parse(data)));
  events.addEventListener('desk', ({ data }) => onMenu(JSON.parse(data)));
  events.addEventListener('error', () => {
    // An old view must not stay on the screen until the terminal is back.
    onView(undefined);
    // The browser reconnects by itself, but not after an answer that is not an event stream.
    if (events.readyState === EventSource.CLOSED) setTimeout(watch, 2000, onView, onMenu);
  });
}
