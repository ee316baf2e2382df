/** A picture of docs/screens: what keepPicture calls it, its file there, and what it shows. */
export interface Documented {
  readonly name: string;
  readonly file: string;
  readonly caption: string;
  /** Its words change with each run (times, numbers of frames), so only that it is there is checked. */
  readonly isLive?: boolean;
}

interface Chapter {
  readonly title: string;
  readonly text: string;
  readonly pictures: readonly Documented[];
}

const customer = (view: string, caption: string): Documented => ({
  name: `handheld-en-rich-${view}`,
  file: `${view}.png`,
  caption,
});
const panel = (name: string, caption: string): Documented => ({
  name: `handheld-en-desk-${name}`,
  file: `desk-${name}.png`,
  caption,
});
const bench = (name: string, caption: string): Documented => ({
  name: `workbench-${name}`,
  file: `workbench-${name}.png`,
  caption,
  isLive: true,
});

/** docs/screens.md, in its order. */
export const chapters: readonly Chapter[] = [
  {
    title: 'Idle',
    text: 'A point of sale may show its own lines or its cart here.',
    pictures: [
      customer('idle', 'Nothing to pay'),
      customer('till-text', 'Lines of a point of sale'),
      customer('till-cart', 'A cart'),
      customer('offline', 'The service does not answer'),
    ],
  },
  {
    title: 'Collecting',
    text: 'The merchant may change to another method. Nothing has been sent.',
    pictures: [
      customer('tip', 'A tip is asked for'),
      customer('tip-entered', 'A tip of one’s own'),
      customer('option', 'An option asks'),
      customer('choose', 'DEFAULT: a card is taken at once, or another way'),
      customer('choose-reader-lost', 'The card reader is lost, the rest works'),
      customer('card', 'A card'),
      customer('card-insert', 'A card that has to be inserted'),
      customer('account', 'EPS: the account'),
      customer('pin', 'EPS: the PIN'),
      customer('scan', 'The customer’s code is scanned'),
      customer('code', 'The customer scans a code'),
      customer('octopus', 'Octopus'),
      customer('octopus-same', 'Octopus: the same card again'),
      customer('cash', 'Cash'),
      customer('cash-enough', 'Cash, with the change'),
    ],
  },
  {
    title: 'Authorizing and outcome',
    text: 'An outcome says what happened, what became of the money, and what to do next.',
    pictures: [
      customer('processing', 'At the host'),
      customer('processing-reversing', 'No answer: it is taken back'),
      customer('approved', 'Approved'),
      customer('approved-sign', 'Approved, with a signature'),
      customer('sign', 'The customer signs on the screen'),
      customer('sign-check', 'The merchant compares the signature'),
      customer('approved-octopus', 'Approved, Octopus'),
      customer('declined', 'Declined'),
      customer('error', 'Error'),
      customer('error-cards-blocked', 'Cards wait for the bank, the rest works'),
      customer('error-unknown', 'Not known yet'),
      customer('cancelled', 'Cancelled'),
    ],
  },
  {
    title: 'The operator’s menu',
    text: 'Behind the gear and a password; here with the largest amounts and the longest names that fit.',
    pictures: [
      panel('menu', 'The menu'),
      panel('today', 'Today'),
      panel('one', 'One transaction'),
      panel('story', 'Its story'),
      panel('void-sure', 'A void, before it is sent'),
      panel('holds', 'Authorizations that are open'),
      panel('refund', 'A refund without its sale, where it is allowed'),
      panel('x', 'X report'),
      panel('settle', 'Settlement'),
      panel('settled', 'Settled'),
      panel('bank', 'What waits for the bank'),
      panel('devices', 'Devices'),
      panel('pairing', 'Pairing a point of sale'),
      panel('about', 'Network and version'),
    ],
  },
  {
    title: 'The simulator',
    text: '`npm start` opens it on http://127.0.0.1:8090 (docs/simulator.md).',
    pictures: [
      bench('start', 'The workbench: a point of sale, the terminal’s screen, and the wires'),
      bench('frame', 'A frame, field by field'),
      bench('scenarios', 'Scenarios'),
      bench('reversal', 'A reversal on the wire'),
    ],
  },
];

export const documented: ReadonlyMap<string, Documented> = new Map(
  chapters.flatMap(({ pictures }) => pictures.map((each) => [each.name, each])),
);

/** docs/screens.md. */
export function screensPage(): string {
  const cell = ({ file, caption }: Documented) =>
    `<img src="screens/${file}" width="220" alt="${caption}"><br>${caption}`;
  const wide = ({ file, caption }: Documented) => `${caption}:\n\n![${caption}](screens/${file})`;
  const rows = (pictures: readonly Documented[]) =>
    Array.from({ length: Math.ceil(pictures.length / perRow) }, (_, row) =>
      [
        '<tr>',
        ...pictures.slice(row * perRow, (row + 1) * perRow).map((each) => `<td>${cell(each)}</td>`),
        '</tr>',
      ].join('\n'),
    );
  const chapter = ({ title, text, pictures }: Chapter) =>
    [
      `## ${title}\n\n${text}\n`,
      pictures.some(({ isLive }) => isLive)
        ? pictures.map(wide).join('\n\n')
        : ['<table>', ...rows(pictures), '</table>'].join('\n'),
    ].join('\n');
  return `${intro}\n${chapters.map(chapter).join('\n\n')}\n`;
}

const perRow = 4;
const intro = `# Screens

What customer, merchant and developer see, 480 × 800 and in English. The browser tests take these pictures
(\`npm run screens\`), and fail when a screen says something else than its picture.
`;
