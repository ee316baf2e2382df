/** Two times of the shop's day, HH:MM. `until` before `from`: over midnight. */
export interface MaintenanceWindow {
  readonly from: string;
  readonly until: string;
}

/** Whether an installation may begin now. Without a window: always. */
export function isOpen(window: MaintenanceWindow | undefined, now: Date, timeZone: string | undefined): boolean {
  if (!window) return true;
  const format = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  const clock = format.format(now);
  const { from, until } = window;
  return from <= until ? clock >= from && clock < until : clock >= from || clock < until;
}

/** /etc/poid/maintenance-window: from=HH:MM and until=HH:MM, a line each. Throws on anything else. */
export function parseWindow(text: string): MaintenanceWindow {
  const read = (name: string) => {
    const [, time] = new RegExp(`^${name}=((?:[01]\\d|2[0-3]):[0-5]\\d)$`, 'm').exec(text) ?? [];
    if (time === undefined) throw new Error('the maintenance window has from=HH:MM and until=HH:MM, a line each');
    return time;
  };
  return { from: read('from'), until: read('until') };
}
