/** What files export: each type has a name of its own, and each export is imported somewhere. */
import ts from 'typescript';
import { importsOf, type SourceFile } from './source-tree.js';

/** One name that a file of the product exports, with all that its declaration says. */
interface Exported {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  readonly isType: boolean;
  /** Names in it that its importers may need: all but those in the bodies of functions. */
  readonly mentions: ReadonlySet<string>;
}

const isProduct = ({ path }: SourceFile) => /^(src|storage)\//.test(path);

/**
 * Exported types, interfaces, classes and components of the product that are declared under one
 * name in two files. A reader who looks one of them up finds the other.
 */
export function repeatedNames(files: readonly SourceFile[]): string[] {
  const first = new Map<string, Exported>();
  return files.filter(isProduct).flatMap((file) =>
    exportsOf(file)
      .filter(({ name }) => /^[A-Z]/.test(name))
      .flatMap((exported) => {
        const earlier = first.get(exported.name);
        if (earlier === undefined) first.set(exported.name, exported);
        const place = `${exported.path}:${exported.line}`;
        return earlier === undefined
          ? []
          : [`${place}: ${exported.name} is another one in ${earlier.path}; name what each is`];
      }),
  );
}

/**
 * What the product exports and no file imports, tests included. A type may be exported for what
 * it is a part of: another export of its file that says its name.
 */
export function unusedExports(files: readonly SourceFile[]): string[] {
  const imported = importedNames(files);
  return files.filter(isProduct).flatMap((file) => {
    const exported = exportsOf(file);
    const used = imported.get(file.path);
    const isPart = ({ name, isType }: Exported) =>
      isType && exported.some((each) => each.name !== name && each.mentions.has(name));
    return exported
      .filter((each) => used?.has(each.name) !== true && !isPart(each))
      .map(({ name, line }) => `${file.path}:${line}: no file imports ${name}; do not export it`);
  });
}

/** By file: what is imported of it. Of what is imported as a whole, all that the importer names. */
function importedNames(files: readonly SourceFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const imported = new Map<string, Set<string>>();
  for (const file of files) {
    const named = /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'([^']+)'/g;
    for (const [, names = '', from = ''] of file.text.matchAll(named)) {
      const own = names.split(',').map((name) => /^\s*(?:type\s+)?(\w+)/.exec(name)?.[1] ?? '');
      add(imported, pathOf(file, from), own);
    }
    const whole = /(?:import\s+(?:type\s+)?\* as \w+\s+from\s+|import\(\s*)'(\.[^']+)'/g;
    for (const [, from = ''] of file.text.matchAll(whole)) {
      add(imported, pathOf(file, from), file.text.match(/\w+/g) ?? []);
    }
  }
  return imported;
}

function pathOf(file: SourceFile, specifier: string): string {
  return importsOf({ ...file, text: `from '${specifier}'` })[0] ?? specifier;
}

function add(imported: Map<string, Set<string>>, path: string, names: Iterable<string>): void {
  const known = imported.get(path) ?? new Set();
  for (const name of names) known.add(name);
  imported.set(path, known);
}

function exportsOf({ path, text }: SourceFile): Exported[] {
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, false, kind);
  return file.statements.filter(isExported).flatMap((node) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    const mentions = new Set<string>();
    collect(node, mentions);
    const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
    return namesOf(node).map((name) => ({ name, path, line: line + 1, isType, mentions }));
  });
}

function isExported(node: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  const kinds = modifiers?.map(({ kind }) => kind) ?? [];
  // What is exported as the default is imported under any name.
  return (
    kinds.includes(ts.SyntaxKind.ExportKeyword) && !kinds.includes(ts.SyntaxKind.DefaultKeyword)
  );
}

function namesOf(node: ts.Statement): string[] {
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  }
  const isNamed =
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node);
  return isNamed && node.name !== undefined ? [node.name.text] : [];
}

function collect(node: ts.Node, names: Set<string>): void {
  if (ts.isIdentifier(node)) names.add(node.text);
  if (!ts.isBlock(node)) ts.forEachChild(node, (child) => collect(child, names));
}
