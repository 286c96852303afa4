/**
 * Finds every text in the sources that refuses something: the arguments of calls that create a
 * refusal or an error, and of each function that passes a parameter of its own on to such a call.
 * Parts that are only known at run time are shown as `…`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** For each such call: which argument is the text, and how the refusal or error is answered. */
const givers = new Map([
  ['new Refusal', { text: 1, code: { argument: 0 } }],
  ['refused', { text: 0, code: { fixed: 'invalid' } }],
  ['refusedHeader', { text: 1, code: { fixed: 'invalid' } }],
  ['new ConfigurationError', { text: 0, code: { fixed: 'exit 64' } }],
  ['new ClientError', { text: 0, code: { argument: 1 } }],
  ['new DestinationRefused', { text: 0, code: { fixed: 'attempt' } }],
  ['new PortInUse', { text: 0, code: { fixed: 'exit 75' } }],
  ['new DamagedData', { text: 1, code: { fixed: 'exit 65' } }],
  ['new DamagedOffsets', { text: 1, code: { fixed: 'exit 65' } }],
  ['diskFullRefusal', { text: 0, code: { fixed: 'disk_full' } }],
]);

const exitCodeOf = new Map([
  ['exitCodes.usage', 'exit 64'],
  ['exitCodes.notFound', 'exit 66'],
  ['exitCodes.unavailable', 'exit 69'],
  ['exitCodes.inUse', 'exit 75'],
  ['exitCodes.notPermitted', 'exit 77'],
  ['exitCodes.failure', 'exit 1'],
]);

/** @returns {{ code: string, text: string, path: string }[]} in the order of the files */
export function errorTexts(root) {
  const files = ['src', 'storage'].flatMap((folder) => sources(root, folder));
  const calls = files.flatMap(({ path, file }) => callsIn(path, file));
  const constants = new Map(files.map(({ path, file }) => [path, constantsIn(file)]));
  const known = closure(calls);
  const found = calls.flatMap((call) => {
    const giver = known.get(`${call.path} ${call.name}`) ?? known.get(call.name);
    if (giver === undefined) return [];
    const code = codeOf(call, giver.code);
    const inFile = constants.get(call.path);
    return textsOf(call.given[giver.text], inFile).map((text) => ({ code, text, path: call.path }));
  });
  return [...found, ...files.flatMap(({ path, file }) => errorClasses(path, file))].filter(
    ({ text }) => /[a-z]{2}/.test(text.replaceAll('…', '')),
  );
}

/**
 * Files without error texts of their own: the console, which shows what the server answers, and the
 * cluster (ADR 63).
 */
const unsaid = /^src[\\/](console[\\/]web|cluster)[\\/]/;

/** The source files of the server and its command. */
function sources(root, folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.ts') && !unsaid.test(path))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return { path, file: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
    });
}

/** Every call and construction, with the function that contains it. */
function callsIn(path, file) {
  const calls = [];
  const visit = (node, within) => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const called = node.expression;
      const last = ts.isPropertyAccessExpression(called) ? called.name.text : called.getText();
      const name = ts.isNewExpression(node) ? `new ${last}` : last;
      calls.push({ path, name, given: node.arguments ?? [], within });
    }
    const inner = functionOf(node) ?? within;
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(file, undefined);
  return calls;
}

/** A function with a name: `{ name, parameters, isExported }`; undefined for every other node. */
function functionOf(node) {
  const isNamed = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);
  const isArrow =
    ts.isArrowFunction(node) && ts.isVariableDeclaration(node.parent) && node.parent.name;
  const name = isNamed ? node.name?.getText() : isArrow ? node.parent.name.getText() : undefined;
  if (name === undefined) return undefined;
  const parameters = node.parameters.map((parameter) => parameter.name.getText());
  const isExported = /^export /.test(node.getText());
  return { name, parameters, isExported };
}

/** All such calls: those above, and every function that passes a parameter on as the text. */
function closure(calls) {
  const known = new Map(givers);
  for (let size = 0; size !== known.size; ) {
    size = known.size;
    for (const { path, name, given, within } of calls) {
      const giver = known.get(`${path} ${name}`) ?? known.get(name);
      if (giver === undefined || within === undefined) continue;
      const text = within.parameters.indexOf(given[giver.text]?.getText());
      const key = within.isExported ? within.name : `${path} ${within.name}`;
      if (text === -1 || known.has(key)) continue;
      known.set(key, { text, code: handedOn(given, within, giver.code) });
    }
  }
  return known;
}

function handedOn(given, within, code) {
  if (code.fixed !== undefined) return code;
  const argument = within.parameters.indexOf(given[code.argument]?.getText());
  if (argument !== -1) return { argument };
  return { fixed: codeOf({ given }, code) };
}

function codeOf({ given }, { fixed, argument }) {
  if (fixed !== undefined) return fixed;
  const node = given[argument];
  if (node === undefined) return 'other';
  if (ts.isStringLiteral(node)) return node.text;
  return exitCodeOf.get(node.getText()) ?? 'other';
}

/** The constants of a file, by name. */
function constantsIn(file) {
  const constants = new Map();
  for (const statement of file.statements.filter(ts.isVariableStatement)) {
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (initializer !== undefined) constants.set(name.getText(), initializer);
    }
  }
  return constants;
}

/** The texts that an expression may have; empty if it is only known at run time. */
function textsOf(node, constants) {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression, constants);
  if (ts.isArrayLiteralExpression(node)) {
    return node.elements.flatMap((each) => textsOf(each, constants));
  }
  if (ts.isConditionalExpression(node)) {
    return [node.whenTrue, node.whenFalse].flatMap((each) => textsOf(each, constants));
  }
  if (ts.isIdentifier(node)) return textsOf(constants.get(node.text), new Map());
  if (ts.isTemplateExpression(node)) {
    return [node.head.text + node.templateSpans.map((span) => spanOf(span, constants)).join('')];
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left = '…', right = '…'] = [node.left, node.right].map(
      (each) => textsOf(each, constants)[0],
    );
    return [left + right];
  }
  return [];
}

function spanOf({ expression, literal }, constants) {
  if (!ts.isIdentifier(expression)) return `…${literal.text}`;
  const constant = constants.get(expression.text);
  const [known = '…'] =
    constant !== undefined && ts.isNumericLiteral(constant)
      ? [Number(constant.text).toLocaleString('en')]
      : textsOf(constant, new Map());
  return known + literal.text;
}

/** The texts of error classes, with the exit code that they name. */
function errorClasses(path, file) {
  const constants = constantsIn(file);
  return file.statements.filter(ts.isClassDeclaration).flatMap((declared) => {
    const exit = /exitCode = (\d+)/.exec(declared.getText())?.[1];
    const inherits = declared.heritageClauses?.[0]?.getText() ?? '';
    const isClient = inherits === 'extends ClientError';
    if (!/^extends \w*(Error|Failure)$/.test(inherits) || (exit === undefined && !isClient)) {
      return [];
    }
    const texts = [];
    const visit = (node) => {
      if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword) {
        const code = exit === undefined ? codeOf({ given: node.arguments }, { argument: 1 }) : null;
        for (const text of textsOf(node.arguments[0], constants)) {
          texts.push({ code: code ?? `exit ${exit}`, text, path });
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(declared);
    return texts;
  });
}
