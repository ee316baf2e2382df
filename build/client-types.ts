import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { BuildError } from './addons.ts';

const folder = fileURLToPath(new URL('../src/pos/client', import.meta.url));
const files = ['signing', 'events', 'pairing', 'mqtt-fetch', 'client'].map((name) => path.join(folder, `${name}.ts`));

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  declaration: true,
  emitDeclarationOnly: true,
};

/**
 * The types of `poid/client` as one file beside client.js: what it takes of the terminal's sources is written out in it.
 * Throws BuildError.
 */
export function declareClient(): string {
  const program = ts.createProgram(files, options);
  const [fault] = ts.getPreEmitDiagnostics(program);
  if (fault) throw new BuildError(ts.flattenDiagnosticMessageText(fault.messageText, '\n'));
  const words = new Map<string, string>();
  const exported = exportedNames(program);
  const pieces = files.map((file) => {
    const source = program.getSourceFile(file) ?? fail(file);
    for (const [name, type] of foreignTypes(source, program.getTypeChecker())) words.set(name, type);
    return withoutModules(declarationOf(program, source), exported);
  });
  const types = [...words].map(([name, type]) => `type ${name} = ${type};\n`);
  return [...types, ...pieces, `export { ${exported.join(', ')} };\n`].join('\n');
}

function declarationOf(program: ts.Program, source: ts.SourceFile): string {
  let written: string | undefined;
  program.emit(source, (_name, text) => (written = text), undefined, true);
  return written ?? fail(source.fileName);
}

/** The types that a file imports from another part of the terminal, each with everything that it may be. */
function foreignTypes(source: ts.SourceFile, checker: ts.TypeChecker): (readonly [name: string, type: string])[] {
  const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias;
  return source.statements
    .filter((statement): statement is ts.ImportDeclaration => ts.isImportDeclaration(statement))
    .filter(({ moduleSpecifier }) => !moduleSpecifier.getText(source).startsWith("'./"))
    .flatMap(({ importClause }) => {
      const bindings = importClause?.namedBindings;
      return bindings && ts.isNamedImports(bindings) ? [...bindings.elements] : [];
    })
    .filter(({ name }) => isType(checker, name))
    .map(({ name }) => [name.text, checker.typeToString(checker.getTypeAtLocation(name), undefined, flags)] as const);
}

/** Whether an imported name is that of a type. */
function isType(checker: ts.TypeChecker, name: ts.Identifier): boolean {
  const symbol = checker.getSymbolAtLocation(name);
  if (!symbol) return false;
  const { flags } = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return (flags & ts.SymbolFlags.Type) !== 0;
}

/** A declaration without its imports and exports, and without values that are not for tills: all of them stand in one file. */
function withoutModules(text: string, exported: readonly string[]): string {
  const source = ts.createSourceFile('piece.d.ts', text, ts.ScriptTarget.Latest, true);
  return source.statements
    .filter((each) => !ts.isImportDeclaration(each) && !ts.isExportDeclaration(each) && !ts.isVariableStatement(each))
    .filter((each) => !ts.isFunctionDeclaration(each) || exported.includes(each.name?.text ?? ''))
    .map((each) => each.getFullText(source).replace(/^(\s*(?:\/\*.*?\*\/\s*)*)export (?:default )?/s, '$1'))
    .join('');
}

/** What client.ts exports, types marked. */
function exportedNames(program: ts.Program): string[] {
  const checker = program.getTypeChecker();
  const main = program.getSourceFile(files.at(-1) ?? '');
  const module = main && checker.getSymbolAtLocation(main);
  const symbols = module ? checker.getExportsOfModule(module) : fail('client.ts');
  return symbols.map((symbol) => {
    const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return own.flags & ts.SymbolFlags.Value ? symbol.name : `type ${symbol.name}`;
  });
}

function fail(file: string): never {
  throw new BuildError(`${file} has no types`);
}
