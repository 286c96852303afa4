/** Indents JSON, with every number and text as it was written. Pure. */
import { jsonIn } from '../api/json-in.ts';

/** Deeper nesting would have more indentation than content. */
const depthMax = 100;

/** Strings, punctuation, and everything else: numbers and words. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * The text with one line for each value; null if it is not JSON, or only one value. It is not made
 * from the parsed value, which would lose digits of numbers beyond the 17th, and repeated names.
 */
export function indented(text: string): string | null {
  if (!/^\s*[[{]/.test(text) || jsonIn(text) === undefined) return null;
  const parts: string[] = [];
  let depth = 0;
  let last = '';
  for (const [token] of text.matchAll(tokens)) {
    const isEnd = token === '}' || token === ']';
    const isEmpty = isEnd && (last === '{' || last === '[');
    if (isEnd) depth -= 1;
    const isFirst = last === '{' || last === '[' || last === ',';
    if ((isFirst || isEnd) && !isEmpty) parts.push('\n', '  '.repeat(depth));
    parts.push(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth += 1;
    if (depth > depthMax) return null;
    last = token;
  }
  return parts.join('');
}
