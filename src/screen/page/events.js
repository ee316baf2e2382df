/** Calls `onView` with every view, and with nothing as soon as the terminal is away; `onDesk` with what the merchant is told. */
export function watch(onView, onDesk) {
  const events = new EventSource('events');
  events.addEventListener('message', ({ data }) => onView(JSON.parse(data)));
  events.addEventListener('desk', ({ data }) => onDesk(JSON.parse(data)));
  events.addEventListener('error', () => {
    // Nothing old may stand there until the terminal is back.
    onView(undefined);
    // The browser reconnects by itself, but not after an answer that was no event stream.
    if (events.readyState === EventSource.CLOSED) setTimeout(watch, 2000, onView, onDesk);
  });
}
