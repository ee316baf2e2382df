/** Answer of 09-02 as published (IDG p.255): DF61 names the processor. */
const processorType = Buffer.from('DF61024D00', 'hex');

/** Identity answers of the reader, by command. */
export function identityAnswers(version: string, firmware: string): ReadonlyMap<string, Buffer> {
  return new Map([
    ['18-01', Buffer.alloc(0)],
    ['29-00', Buffer.from(version, 'latin1')],
    ['09-02', processorType],
    ['09-03', firmwareObject(firmware)],
  ]);
}

/** DF62 with the name and a zero byte, as published for the VP3350 (user manual p.16). */
function firmwareObject(firmware: string): Buffer {
  const name = Buffer.from(`${firmware}\0`, 'latin1');
  return Buffer.concat([Buffer.from('DF62', 'hex'), Buffer.of(name.length), name]);
}
