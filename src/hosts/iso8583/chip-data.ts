import { encodeTlv } from '../../codecs/emv/tlv.ts';
import type { EmvData } from '../../base/ports/card-reader.ts';
import type { Dialect } from './dialect.ts';
import type { TerminalIdentity } from './terminal-identity.ts';

/**
 * Field 55; undefined for a card without a chip, which has no cryptogram. A magstripe has some EMV objects too, such as
 * 9F39. Objects that the dialect does not list are not sent.
 */
export function chipData(dialect: Dialect, terminal: TerminalIdentity, emv: EmvData): Uint8Array | undefined {
  if (!emv.has('9F26')) return undefined;
  const country = terminal.countryNumeric === undefined ? undefined : Buffer.from(`0${terminal.countryNumeric}`, 'hex');
  const objects = dialect.emvRequestTags.flatMap((tag): [string, Uint8Array][] => {
    const value = emv.get(tag) ?? (tag === '9F1A' ? country : undefined);
    return value === undefined ? [] : [[tag, value]];
  });
  return encodeTlv(objects);
}
