/**
 * Customer-presented codes of EMVCo (QR Code Specification for Payment Systems, Consumer-Presented Mode): BER-TLV in
 * base64. Only what distinguishes such a code from other text is checked; the host checks the card data inside.
 */

/** Maximum length of a scanner's line: fixtures/README.md. */
const charactersMax = 512;

/** 85, payload format indicator, always the first object: 'CPV01'. EMVCo CPM, 3.1. */
const formatIndicator = [0x85, 0x05, 0x43, 0x50, 0x56, 0x30, 0x31];
const applicationTemplate = 0x61;
const commonTemplate = 0x62;
const applicationIdentifier = 0x4f;

/** Whether the whole `text` is such a code. */
export function isCustomerPresented(text: string): boolean {
  const bytes = base64Bytes(text);
  if (!bytes || !formatIndicator.every((byte, at) => bytes[at] === byte)) return false;
  const objects = berObjects(bytes.subarray(formatIndicator.length));
  // Application templates, followed by at most one common data template.
  const common = objects?.findIndex(({ tag }) => tag === commonTemplate) ?? -1;
  const applications = common < 0 ? objects : objects?.slice(0, -1);
  if (!objects || !applications || applications.length === 0) return false;
  if (common >= 0 && (common !== objects.length - 1 || !berObjects(objects[common]?.value))) return false;
  return applications.every(({ tag, value }) => tag === applicationTemplate && namesApplication(value));
}

/** Tag 4F of 5 to 16 bytes (ISO/IEC 7816-4, 8.2.1.2) must come first. */
function namesApplication(template: Uint8Array): boolean {
  const first = berObjects(template)?.[0];
  return first?.tag === applicationIdentifier && first.value.length >= 5 && first.value.length <= 16;
}

/** Decodes base64 with padding and without spare bits; undefined for anything else. */
function base64Bytes(text: string): Uint8Array | undefined {
  if (text.length > charactersMax || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

interface BerObject {
  readonly tag: number;
  readonly value: Uint8Array;
}

/** One level of BER-TLV, to the last byte: tags of one or two bytes, lengths below 256. */
function berObjects(bytes: Uint8Array | undefined): readonly BerObject[] | undefined {
  if (!bytes) return undefined;
  const objects: BerObject[] = [];
  let at = 0;
  const next = () => bytes[at++] ?? Number.NaN;
  while (at < bytes.length) {
    let tag = next();
    if ((tag & 0x1f) === 0x1f) tag = tag * 0x100 + next();
    let length = next();
    if (length === 0x81) length = next();
    else if (length > 0x7f) return undefined;
    const end = at + length;
    // A missing byte is NaN, and fails here too.
    if (!(end <= bytes.length) || Number.isNaN(tag)) return undefined;
    objects.push({ tag, value: bytes.subarray(at, end) });
    at = end;
  }
  return objects;
}
