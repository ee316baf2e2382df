/** How many digits a PIN has: ISO 9564-1, 8.1. */
export const pinDigits = { least: 4, most: 12 } as const;
