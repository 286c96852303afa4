/** Object literals that cost what their look does not show (ADR 54). */
import { join, relative } from 'node:path';
import ts from 'typescript';

/** A spread that is not the first member is copied field by field: so many take 0.3 us and more. */
const copiedMax = 16;

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

/** Files in these folders that none of those passes. */
const cold: readonly string[] = [
  // It is made once for each schedule and subscription.
  'src/messaging/publishing/message-template.ts',
  // Each of its reads is one of a file.
  'storage/log/archived-log.ts',
];

/**
 * Slow literals in functions on the way of requests, as Node.js 20 makes them. One that begins with
 * a spread is a copy of the whole, which costs next to nothing; a field after it that is not
 * certain to replace one costs 2 us and more. A spread behind other members is copied field by
 * field, each in some 25 ns.
 */
export function slowLiterals(): string[] {
  const program = productProgram();
  const checker = program.getTypeChecker();
  return program.getSourceFiles().flatMap((file) => {
    const path = relative(root, file.fileName);
    // Descriptions of routes are made when a document asks for them.
    if (path.endsWith('.openapi.ts') || cold.includes(path)) return [];
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
      const slow = slowParts(node, checker);
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      if (slow.length > 0) found.push(`${path}:${line + 1}: ${slow.join(', ')}`);
    }
    ts.forEachChild(node, (child) => visit(child, isInFunction || ts.isFunctionLike(node)));
  };
  visit(file, false);
  return found;
}

/** What of a literal is slow: names of added fields, and spreads that are copied one by one. */
function slowParts(literal: ts.ObjectLiteralExpression, checker: ts.TypeChecker): string[] {
  const known = new Set<string>();
  const slow: string[] = [];
  let isBehind = false;
  for (const [place, property] of literal.properties.entries()) {
    if (ts.isSpreadAssignment(property)) {
      isBehind = true;
      const type = checker.getNonNullableType(checker.getTypeAtLocation(property.expression));
      const fields = checker.getPropertiesOfType(type);
      if (place > 0 && fields.length >= copiedMax) slow.push(property.getText());
      for (const { name, flags } of fields) {
        if ((flags & ts.SymbolFlags.Optional) === 0) known.add(name);
      }
    } else {
      const name = property.name.getText();
      if (isBehind && !known.has(name)) slow.push(name);
      known.add(name);
    }
  }
  return slow;
}
