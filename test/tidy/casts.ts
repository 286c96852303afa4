/** Casts: where the compiler is given what it cannot know, a comment says how we know it. */
import ts from 'typescript';
import { type SourceFile, withoutComments } from './source-tree.js';

/** A comment that explains a statement begins at most so many lines above it. */
const linesAbove = 3;

/** Its casts are those of one reason, which stands above its class. */
const explainedAtClass = 'src/engine/engine.ts';

/** What may be a cast: files without it are not parsed. */
const likely = / as (?:unknown|never|string|number|undefined|readonly|keyof|typeof|[A-Z{([])/;

/** The casts of a file of the product that no comment explains, each with its line. */
export function unexplainedCasts({ path, text, lines }: SourceFile): string[] {
  const isProduct = path.startsWith('src/') || path.startsWith('storage/');
  if (!isProduct || path === explainedAtClass) return [];
  if (!likely.test(withoutComments(text))) return [];
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, kind);
  const lineOf = (node: ts.Node) => file.getLineAndCharacterOfPosition(node.getStart(file)).line;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isAsExpression(node) && needsReason(node, file)) {
      const from = Math.max(0, lineOf(statementOf(node)) - linesAbove);
      const hasReason = lines
        .slice(from, lineOf(node))
        .some((line) => /^\s*\{?(\/\/|\/?\*)/.test(line));
      if (!hasReason) found.push(`${path}:${lineOf(node) + 1}: a cast needs its reason above it`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Of what `JSON.parse` gives any type is as good as its own, and `as const` tells nothing. */
function needsReason({ type, expression }: ts.AsExpression, file: ts.SourceFile): boolean {
  return type.getText(file) !== 'const' && !expression.getText(file).includes('JSON.parse(');
}

function statementOf(node: ts.Node): ts.Node {
  let own = node;
  while (!isPlaceOfStatements(own.parent)) own = own.parent;
  return own;
}

function isPlaceOfStatements(node: ts.Node): boolean {
  return (
    ts.isBlock(node) ||
    ts.isSourceFile(node) ||
    ts.isClassLike(node) ||
    ts.isCaseOrDefaultClause(node) ||
    ts.isObjectLiteralExpression(node) ||
    ts.isJsxElement(node)
  );
}
