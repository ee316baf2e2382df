/** The fields of an intent with the card number as the reader encrypted it, and the key's serial number (hex). */
const filled = /"(ksn|encryptedPan)"(\s*:\s*)"[^"\\]+"/g;

/** Whether the JSON of an event has a card number, or the serial number of its key. */
export function hasCardNumber(json: string): boolean {
  return json.search(filled) >= 0;
}

/** The JSON of an event with these fields empty: no message that needs the card can be built from it any more. */
export function withoutCardNumber(json: string): string {
  return json.replace(filled, '"$1"$2""');
}
