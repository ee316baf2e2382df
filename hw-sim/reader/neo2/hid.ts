import type { Pty } from '../../pty.ts';
import type { ReportPort } from '../reports/port.ts';
import { HidCommands, HidResponses } from './hid-reports.ts';

/**
 * NEO2 over HID: the reader's byte stream in reports (IDG p.41). HID can't send single bytes: a response is sent when
 * it is whole.
 */
export function hidLine(port: ReportPort): Pty {
  const responses = new HidResponses();
  const commands = new HidCommands();
  const listeners: ((chunk: Buffer) => void)[] = [];
  const receive = (bytes: Buffer): void => {
    for (const listener of listeners) listener(bytes);
  };
  port.onReport((report) => {
    for (const bytes of commands.push(report)) receive(bytes);
  });
  port.onUnexpected(receive);
  const forget = (): void => {
    responses.forget();
    commands.forget();
  };
  return {
    link: port.link ?? '',
    get plugged() {
      return port.plugged;
    },
    write(bytes) {
      for (const report of responses.push(bytes)) port.write(report);
    },
    onData: (listener) => void listeners.push(listener),
    unplug() {
      forget();
      return port.unplug();
    },
    plug: () => port.plug(),
    close() {
      forget();
      return port.close();
    },
  };
}
