/** NEO 2 Interface Developer's Guide (PROTOCOLS: commands and status codes). */
export const commands: Readonly<Record<string, string>> = {
  '01-01': 'set poll mode',
  '02-01': 'activate transaction',
  '02-40': 'activate transaction',
  '03-02': 'get configuration',
  '03-03': 'update balance',
  '03-40': 'get transaction result',
  '04-00': 'set configuration',
  '05-01': 'cancel transaction',
  '05-02': 'stop transaction',
  '09-02': 'get processor type',
  '09-03': 'get firmware version',
  '18-01': 'ping',
  '29-00': 'get version',
  '60-03': 'set application data',
  '60-06': 'set terminal data',
  '60-0A': 'set CA public key',
  '60-10': 'start contact transaction',
  '60-11': 'authenticate contact transaction',
  '60-12': 'apply host response',
  '60-16': 'set ICS',
  '61-01': 'show on display',
  '61-17': 'show system screen',
  '62-00': 'cancel PIN',
  '62-01': 'get encrypted PIN',
};

/** First byte of a command → its usual name in an answer, which has no sub-command. */
export const answers: Readonly<Record<string, string>> = {
  '01': 'poll mode',
  '02': 'transaction',
  '03': 'configuration',
  '04': 'configuration',
  '05': 'cancel',
  '09': 'identity',
  '18': 'ping',
  '29': 'version',
  '60': 'contact transaction',
  '61': 'display',
  '62': 'PIN',
};

export const statuses: Readonly<Record<string, string>> = {
  '00': 'OK',
  '01': 'bad header',
  '02': 'unknown command',
  '03': 'unknown sub-command',
  '04': 'CRC error',
  '05': 'bad parameter',
  '06': 'not supported',
  '07': 'malformed',
  '08': 'time-out',
  '0A': 'failed',
  '0B': 'command not allowed',
  '0C': 'sub-command not allowed',
  '0D': 'buffer overflow',
  '0E': 'user interface event',
  '11': 'communication type',
  '12': 'secure interface',
  '1D': 'tampered',
  '23': 'request for online authorization',
  '60': 'no terminal data',
  '61': 'AID list full',
  '62': 'flash error',
  '63': 'first answer, another follows',
};

export const pollModes: Readonly<Record<string, string>> = { '00': 'auto poll', '01': 'poll on demand' };
export const issuerAnswers: Readonly<Record<string, string>> = {
  '00': 'the host could not be asked',
  '01': 'the host answered',
};
export const results: Readonly<Record<string, string>> = { '0002': 'approved', '0003': 'declined' };
export const pinStates: Readonly<Record<string, string>> = {
  '00': 'PIN follows',
  '01': 'cancel key',
  '02': 'cancelled by command',
  '05': 'no key',
  '06': 'keys exhausted',
};
