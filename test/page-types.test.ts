import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A mistake in `file`, and what the type checker says of it, with the file where it says so. */
interface Mistake {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly says: RegExp;
}
type Mistakes = Readonly<Record<string, Mistake>>;

const inScreen: Mistakes = {
  'a word that Portuguese does not have': {
    file: 'src/screen/page/menu-words-pt.js',
    from: "  version: 'Versão',\n",
    to: '',
    says: /menu-words-pt\.js: .*'version' is missing/s,
  },
  'a word that only Simplified Chinese has': {
    file: 'src/screen/page/menu-words-zh-hans.js',
    from: '  version: ',
    to: "  release: '版本',\n  version: ",
    says: /menu-words-zh-hans\.js: .*'release' does not exist/s,
  },
  'a slot that is missing': {
    file: 'src/screen/page/words-zh-hant.js',
    from: '{most}',
    to: '',
    says: /words-zh-hant\.js: .*is not assignable.*\{most\}/s,
  },
  'a slot that English does not have': {
    file: 'src/screen/page/outcome-words-pt.js',
    from: "    clockWrong: '",
    to: "    clockWrong: '{clock} ",
    says: /words\.ts: .*"clockWrong".*'never'/s,
  },
  'a code of the terminal without a word': {
    file: 'src/payment/contracts/operator-menu.ts',
    from: "  'drawerShut',\n",
    to: "  'drawerShut',\n  'doorOpen',\n",
    says: /words-en\.js: .*'doorOpen' is missing/s,
  },
  'a field of the view that has another name': {
    file: 'src/options/tip/contract.ts',
    from: '  readonly ownTipMost?: string;\n',
    to: '  readonly greatestTip?: string;\n',
    says: /tip\.js: .*'ownTipMost' does not exist/s,
  },
  'a property that no view has': {
    file: 'src/screen/page/panel.js',
    from: 'accounts = []',
    to: 'acounts: accounts = []',
    says: /panel\.js: .*'acounts' does not exist/s,
  },
  'a request of the menu without a field': {
    file: 'src/screen/page/menu-actions.js',
    from: "{ kind: 'setAside', transaction: id, outcome, ...part }",
    to: "{ kind: 'setAside', transaction: id }",
    says: /menu-actions\.js: .*'outcome' is missing/s,
  },
  'a request of the menu that takes another field': {
    file: 'src/operator/menu-request.ts',
    from: "z.literal('printSettlement'), session: word, settlement: word",
    to: "z.literal('printSettlement'), session: word, id: word",
    says: /menu-actions\.js: .*'settlement' does not exist/s,
  },
  'an answer of the menu that has another field': {
    file: 'src/operator/story.ts',
    from: '  readonly approvalCode: string;\n',
    to: '  readonly approval: string;\n',
    says: /menu-today\.js: .*'approvalCode' does not exist/s,
  },
  'an action that the terminal does not take': {
    file: 'src/screen/page/sign.js',
    from: "kind: 'signAgain'",
    to: "kind: 'signOnceMore'",
    says: /sign\.js: .*"signOnceMore"/s,
  },
};
const inSimulator: Mistakes = {
  'a field of the simulator’s state that has another name': {
    file: 'hw-sim/reader/state.ts',
    from: '  readonly insertedCard?: string;\n',
    to: '  readonly cardInSlot?: string;\n',
    says: /page\/reader\.js: .*'insertedCard' does not exist/s,
  },
  'a call that the simulator does not take': {
    file: 'hw-sim/page/octopus.js',
    from: "{ readErrorNext: 'poll' }",
    to: "{ readErrorNext: 'card' }",
    says: /octopus\.js: .*"card".*is not assignable/s,
  },
};

/** What the type checker says of a page with all these mistakes. */
function checkWith(mistakes: Mistakes, page: string): readonly string[] {
  const changed = new Map<string, string>();
  for (const { file, from, to } of Object.values(mistakes)) {
    const name = path.join(root, file);
    const text = ts.sys.readFile(name) ?? '';
    assert.ok(!changed.has(name) && text.includes(from), `${file} does not have ${from}`);
    changed.set(name, text.replace(from, to));
  }
  const settings = path.join(root, page, 'tsconfig.json');
  const { config } = ts.readConfigFile(settings, (name) => ts.sys.readFile(name)) as { config: object };
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(settings));
  const host = ts.createCompilerHost(options);
  host.readFile = (name) => changed.get(name) ?? ts.sys.readFile(name);
  const program = ts.createProgram(fileNames, options, host);
  return fileNames
    .flatMap((name) => program.getSemanticDiagnostics(program.getSourceFile(name)))
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}

// `npm run types` shows that they find nothing where nothing is wrong.
for (const [page, mistakes] of Object.entries({ 'src/screen/page': inScreen, 'hw-sim/page': inSimulator })) {
  describe(`the types of ${page}`, () => {
    const said = checkWith(mistakes, page);
    for (const [name, { says }] of Object.entries(mistakes)) {
      test(`find ${name}`, () => {
        assert.ok(
          said.some((each) => says.test(each)),
          said.join('\n'),
        );
      });
    }
  });
}
