/**
 * The retry-delay expression: arithmetic over `retried`, parsed by jsep and compiled from an
 * allowlist of its node types. Nothing in it is ever evaluated as code. Pure.
 */
import jsep from 'jsep';
import { LRUCache } from 'lru-cache';
import { ok, type Result, refused } from './result.js';

/**
 * A checked expression: from the number of retries made so far to milliseconds, unadjusted (the
 * result may be negative, NaN or infinite).
 */
export type RetryDelay = (retried: number) => number;

/** No retry waits longer than this (messaging.md 3.3). */
const retryDelayMaxMs = 86_400_000;

const lengthMax = 256;
const nodesMax = 64;
const depthMax = 16;

type Arithmetic = (left: number, right: number) => number;

const operators: ReadonlyMap<string, Arithmetic> = new Map<string, Arithmetic>([
  ['+', (left, right) => left + right],
  ['-', (left, right) => left - right],
  ['*', (left, right) => left * right],
  ['/', (left, right) => left / right],
]);

/** Arity and meaning of each function (messaging.md 3.3). */
const functions: ReadonlyMap<string, readonly [number, Arithmetic]> = new Map<
  string,
  readonly [number, Arithmetic]
>([
  ['pow', [2, Math.pow]],
  ['min', [2, Math.min]],
  ['max', [2, Math.max]],
  ['exp', [1, Math.exp]],
  ['sqrt', [1, Math.sqrt]],
  ['abs', [1, Math.abs]],
  ['floor', [1, Math.floor]],
  ['ceil', [1, Math.ceil]],
  ['round', [1, Math.round]],
]);

/** Few expressions are in use at a time, each by many messages. */
const known = new LRUCache<string, Result<RetryDelay>>({ max: 512 });
const knownNew = new LRUCache<string, Result<RetryDelay>>({ max: 512 });

/**
 * Checks an expression at publish: at most 256 characters, 64 nodes and a depth of 16, with `+ - *
 * /`, parentheses, unary minus, numbers, `retried` and the nine functions.
 */
export function parseRetryDelay(text: string): Result<RetryDelay> {
  if (text.length > lengthMax) return refused(`is longer than ${lengthMax} characters`);
  const earlier = known.get(text);
  if (earlier !== undefined) return earlier;
  const expression = compile(text);
  known.set(text, expression);
  return expression;
}

/** Separators that the library ignores: `1000,`, `(1000,)`, `;1000`, `min?.(1, 2)`. */
const skipped = /[;?]|(^|[(,])\s*,|,\s*($|\))/;

/**
 * Checks the expression of a new message. In addition to what `parseRetryDelay` refuses, commas
 * must be between arguments, and nowhere else. Messages published earlier stay valid.
 */
export function parseNewRetryDelay(text: string): Result<RetryDelay> {
  const earlier = knownNew.get(text);
  if (earlier !== undefined) return earlier;
  const expression = parseRetryDelay(text);
  if (!expression.ok) return expression;
  const judged = judgedSeparators(text, expression);
  knownNew.set(text, judged);
  return judged;
}

function judgedSeparators(text: string, expression: Result<RetryDelay>): Result<RetryDelay> {
  const commas = text.split(',').length - 1;
  return skipped.test(text) || commas !== commasIn(jsep(text))
    ? refused('must have one comma between arguments, and no other separators')
    : expression;
}

/** The number of commas between arguments in a checked expression. */
function commasIn(tree: jsep.Expression): number {
  // Cast as below: the expression was compiled, so it has no other nodes.
  const node = tree as jsep.CoreExpression;
  switch (node.type) {
    case 'UnaryExpression':
      return commasIn(node.argument);
    case 'BinaryExpression':
      return commasIn(node.left) + commasIn(node.right);
    case 'CallExpression':
      return node.arguments.reduce((sum, each) => sum + commasIn(each), node.arguments.length - 1);
    default:
      return 0;
  }
}

/**
 * Milliseconds to wait after an attempt that followed `retried` retries: a whole number of at least
 * 0 and at most a day. Undefined (for NaN, infinity, or a text that is not an expression) means the
 * default backoff.
 */
export function evaluateRetryDelay(text: string, retried: number): number | undefined {
  const expression = parseRetryDelay(text);
  if (!expression.ok) return undefined;
  const milliseconds = expression.value(retried);
  if (!Number.isFinite(milliseconds)) return undefined;
  return Math.round(Math.min(Math.max(milliseconds, 0), retryDelayMaxMs));
}

function compile(text: string): Result<RetryDelay> {
  let tree: jsep.Expression;
  try {
    tree = jsep(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    return refused(`is not an arithmetic expression: ${reason}`);
  }
  return new Compiler().compile(tree, 1);
}

/** Turns jsep's tree into arithmetic, node by node, with one limit for the number of nodes. */
class Compiler {
  private nodes = 0;

  compile(node: jsep.Expression, depth: number): Result<RetryDelay> {
    this.nodes += 1;
    if (this.nodes > nodesMax) return refused(`has more than ${nodesMax} terms`);
    if (depth > depthMax) return refused(`is nested more than ${depthMax} deep`);
    // Other nodes come from plugins only, and none are used.
    const core = node as jsep.CoreExpression;
    switch (core.type) {
      case 'Literal':
        return literal(core.value);
      case 'Identifier':
        return core.name === 'retried'
          ? ok((retried) => retried)
          : refused(`knows no variable ${core.name}; it has retried`);
      case 'UnaryExpression':
        return this.negation(core, depth);
      case 'BinaryExpression':
        return this.operation(core, depth);
      case 'CallExpression':
        return this.call(core, depth);
      default:
        return refused('must be one arithmetic expression like 1000 * pow(2, retried)');
    }
  }

  private negation(node: jsep.UnaryExpression, depth: number): Result<RetryDelay> {
    if (node.operator !== '-') return refused(`knows no operator ${node.operator}`);
    return this.apply((value) => -value, [node.argument], depth);
  }

  private operation(node: jsep.BinaryExpression, depth: number): Result<RetryDelay> {
    const meaning = operators.get(node.operator);
    if (meaning === undefined) return refused(`knows no operator ${node.operator}`);
    return this.apply(meaning, [node.left, node.right], depth);
  }

  private call(node: jsep.CallExpression, depth: number): Result<RetryDelay> {
    // Cast as above: the callee is one of the core nodes, too.
    const { callee } = node as jsep.CallExpression & { callee: jsep.CoreExpression };
    if (callee.type !== 'Identifier') return refused('calls something that is not a function');
    const definition = functions.get(callee.name);
    if (definition === undefined) return refused(`knows no function ${callee.name}`);
    const [arity, meaning] = definition;
    if (node.arguments.length !== arity) {
      return refused(`must give ${callee.name} ${arity} argument${arity === 1 ? '' : 's'}`);
    }
    return this.apply(meaning, node.arguments, depth);
  }

  /** Applies `meaning` to one or two operands; a one-operand meaning ignores the second. */
  private apply(
    meaning: Arithmetic,
    [first, second]: readonly jsep.Expression[],
    depth: number,
  ): Result<RetryDelay> {
    if (first === undefined) throw new Error('an operation without operands');
    const left = this.compile(first, depth + 1);
    if (!left.ok) return left;
    if (second === undefined) return ok((retried) => meaning(left.value(retried), 0));
    const right = this.compile(second, depth + 1);
    if (!right.ok) return right;
    return ok((retried) => meaning(left.value(retried), right.value(retried)));
  }
}

function literal(value: jsep.Literal['value']): Result<RetryDelay> {
  return typeof value === 'number'
    ? ok(() => value)
    : refused('may contain numbers, but no strings or booleans');
}
