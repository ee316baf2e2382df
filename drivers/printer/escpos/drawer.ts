/** Pin of the drawer's connector that gets the pulse; most drawers are wired to 2. */
export type DrawerPin = 2 | 5;

const pinCodes: Readonly<Record<DrawerPin, number>> = { 2: 0x00, 5: 0x01 };

/** Time of the pulse and of the rest after it, in units of 2 ms: 100 ms and 500 ms, as python-escpos has them. */
const onTime = 0x32;
const offTime = 0xfa;

/** ESC p m t1 t2, generate pulse (Epson TM-U220, command ESC p; the same in Citizen's and Bixolon's). */
export function drawerKick(pin: DrawerPin): Uint8Array {
  return Uint8Array.of(0x1b, 0x70, pinCodes[pin], onTime, offTime);
}
