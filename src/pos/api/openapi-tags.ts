/** Groups of calls, and which call is in which. */
const groups = [
  {
    name: 'Payments',
    description: 'Run a transaction, ask for its outcome, cancel it while it collects, print its receipt.',
    operations: ['payment', 'enquiry', 'cancel', 'receipt'],
  },
  {
    name: 'Lists and reports',
    description: 'What this terminal has taken.',
    operations: ['transactions', 'report'],
  },
  {
    name: 'Counter',
    description: 'Printer, cash drawer and idle screen of the terminal, as a till may use them.',
    operations: ['print', 'printReport', 'openDrawer', 'display'],
  },
  { name: 'Settlement', description: 'Close the open batch.', operations: ['settlement'] },
  {
    name: 'Terminal',
    description: 'What the terminal is, does and can do now.',
    operations: ['status', 'capabilities', 'events', 'openapi', 'docs', 'client'],
  },
  {
    name: 'Pairing',
    description: 'A till gets its key, where the terminal requires one (docs/pairing.md).',
    operations: ['pairing', 'reveal'],
  },
] as const;

export type OperationId = (typeof groups)[number]['operations'][number];

export const tags = groups.map(({ name, description }) => ({ name, description }));

export function tagsOf(operation: OperationId): readonly string[] {
  return groups
    .filter(({ operations }) => (operations as readonly string[]).includes(operation))
    .map(({ name }) => name);
}
