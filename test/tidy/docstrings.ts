/** Docstrings of what is exported: what its reader needs that name and type do not say. */
import ts from 'typescript';
import type { SourceFile } from './source-tree.js';

/** An exported declaration, and what it is called. */
interface Exported {
  readonly node: ts.Statement;
  readonly name: string;
}

/**
 * What a file of the product exports without a docstring, each with its line. What it exports of
 * another file has its own there; a component that is all that its file exports is described by
 * the docstring of the file.
 */
export function undescribedExports({ path, text }: SourceFile): string[] {
  if (!path.startsWith('src/') && !path.startsWith('storage/')) return [];
  const isPage = path.endsWith('.tsx');
  const kind = isPage ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, kind);
  const exported = file.statements.flatMap((node) => exportedIn(node, file));
  if (isPage && exported.length === 1) return [];
  return exported
    .filter(({ node }) => !isDescribed(node, file))
    .map(({ node, name }) => {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      return `${path}:${line + 1}: ${name} is exported without a docstring; say what it is for`;
    });
}

function exportedIn(node: ts.Statement, file: ts.SourceFile): Exported[] {
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  const isExported = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  return isExported ? [{ node, name: nameOf(node, file) }] : [];
}

function nameOf(node: ts.Statement, file: ts.SourceFile): string {
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.map(({ name }) => name.getText(file)).join(', ');
  }
  const isNamed =
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node);
  return (isNamed ? node.name?.text : undefined) ?? 'what has no name';
}

/** Editors show the docstring of a file, too, for what follows it at once. */
function isDescribed(node: ts.Statement, { text }: ts.SourceFile): boolean {
  const comments = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
  return comments.some(({ pos }) => text.startsWith('/**', pos));
}
