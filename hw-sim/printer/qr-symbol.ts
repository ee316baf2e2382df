/** The QR code of GS ( k: one function stores it, another prints it. */
export class QrSymbol {
  #moduleDots = 3;
  #text = '';

  /**
   * One function: `cn fn parameters`, cn 31 (QR): fn 41 model, 43 module size, 45 error correction, 50 store, 51
   * print. Returns the code to print for 51.
   */
  execute(bytes: Buffer): 'stored' | 'empty' | 'unknown' | { readonly text: string; readonly sizeDots: number } {
    const [symbol, fn = 0, first = 0] = bytes;
    if (symbol !== 0x31) return 'unknown';
    switch (fn) {
      case 0x41:
        return bytes.length === 4 && (first === 0x31 || first === 0x32) ? 'stored' : 'unknown';
      case 0x43:
        if (bytes.length !== 3 || first < 1 || first > 16) return 'unknown';
        this.#moduleDots = first;
        return 'stored';
      case 0x45:
        return bytes.length === 3 && first >= 0x30 && first <= 0x33 ? 'stored' : 'unknown';
      case 0x50:
        if (first !== 0x30 || bytes.length < 4) return 'unknown';
        this.#text = bytes.subarray(3).toString('utf8');
        return 'stored';
      case 0x51:
        if (bytes.length !== 3 || first !== 0x30) return 'unknown';
        if (this.#text === '') return 'empty';
        return { text: this.#text, sizeDots: this.#moduleDots * modulesFor(this.#text) };
      default:
        return 'unknown';
    }
  }
}

/**
 * Modules of one side: version 1 has 21 and holds about 14 bytes at level M; each next version adds 4 and about 14
 * bytes.
 */
function modulesFor(text: string): number {
  return 21 + 4 * Math.min(39, Math.floor(Buffer.byteLength(text) / 14));
}
