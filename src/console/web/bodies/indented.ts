/** JSON in lines, with every number and text as it was written. Pure. */

/** Deeper than this the blanks in front of the lines are longer than what they lead to. */
const depthMax = 100;

/** Texts, what holds other values together, and all else: numbers and words. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * The text with a line for each value; null = it is no JSON, or one value alone. It is not made of
 * what was parsed: that has lost what a number has beyond 17 digits, and names that are repeated.
 */
export function indented(text: string): string | null {
  if (!/^\s*[[{]/.test(text) || !isJson(text)) return null;
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
