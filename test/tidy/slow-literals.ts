/** Object literals that cost what their look does not show (ADR 54). */
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');

/** What each message, step, record or batch passes. */
const hot = [
  'src/messaging/delivery',
  'src/messaging/publishing',
  'src/messaging/queues',
  'src/messaging/flow-control',
  'src/workflows/requests',
  'src/workflows/runs',
  'src/workflows/run-state',
  'src/workflows/deliveries',
  'src/topics/produce',
  'src/topics/fetch',
  'src/topics/consume',
  'src/topics/pushes',
  'storage/log',
  'storage/format',
];

/**
 * Literals in functions on the way of requests that add a field after a spread: on Node.js 20 each
 * such field costs about a microsecond. A field before the spread costs next to nothing, and so
 * does one after it that replaces a field of the spread.
 */
export function slowLiterals(): string[] {
  const program = productProgram();
  const checker = program.getTypeChecker();
  return program.getSourceFiles().flatMap((file) => {
    const path = relative(root, file.fileName);
    // Descriptions of routes are made when a document asks for them.
    if (path.endsWith('.openapi.ts')) return [];
    return hot.some((folder) => path.startsWith(`${folder}/`)) ? inFile(file, path, checker) : [];
  });
}

/** The same of a text alone, for the test of this check. */
export function slowLiteralsOf(text: string): string[] {
  const name = 'text.ts';
  const host = ts.createCompilerHost({});
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);
  const getSourceFile = (path: string) => (path === name ? file : undefined);
  const program = ts.createProgram([name], { noLib: true }, { ...host, getSourceFile });
  return inFile(file, name, program.getTypeChecker());
}

function productProgram(): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const product = fileNames.filter((name) => !relative(root, name).startsWith('bench'));
  return ts.createProgram(product, options);
}

function inFile(file: ts.SourceFile, path: string, checker: ts.TypeChecker): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node, isInFunction: boolean): void => {
    if (isInFunction && ts.isObjectLiteralExpression(node)) {
      const added = addedAfterSpread(node, checker);
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      if (added.length > 0) found.push(`${path}:${line + 1}: ${added.join(', ')}`);
    }
    ts.forEachChild(node, (child) => visit(child, isInFunction || ts.isFunctionLike(node)));
  };
  visit(file, false);
  return found;
}

/** Names of fields that come after a spread and are not known to be in one. */
function addedAfterSpread(literal: ts.ObjectLiteralExpression, checker: ts.TypeChecker): string[] {
  const known = new Set<string>();
  const added: string[] = [];
  let isBehind = false;
  for (const property of literal.properties) {
    if (ts.isSpreadAssignment(property)) {
      isBehind = true;
      const type = checker.getNonNullableType(checker.getTypeAtLocation(property.expression));
      for (const { name } of checker.getPropertiesOfType(type)) known.add(name);
    } else {
      const name = property.name.getText();
      if (isBehind && !known.has(name)) added.push(name);
      known.add(name);
    }
  }
  return added;
}
