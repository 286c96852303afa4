/** Makes texts from outside (labels, bodies, errors, names) safe to print on a terminal. */
import { escapeOf, unseenCharacter, visibleText } from '../../server/logging/visible-text.js';
import { codes } from './style.js';

const own = [...new Set(Object.values(codes).flat())].join('|');
// A colour code of ours is matched as a whole, so it differs from a lone escape character.
const besidesColours = new RegExp(String.raw`\x1b\[(?:${own})m|${unseenCharacter}`, 'gu');

/**
 * A text from outside on one line: line breaks and tabs become spaces, other control characters
 * escapes.
 */
export function oneLine(text: string): string {
  return visibleText(text.replace(/[\t\n\r]+/g, ' '));
}

/** A line without colours, safe to print: everything that a terminal would interpret is escaped. */
export function plainLine(line: string): string {
  return line.split('\t').map(visibleText).join('\t');
}

/**
 * A line safe to print on a terminal, or a pager behind a pipe: the colours of `style.ts` are kept,
 * and anything else that a terminal would interpret is escaped.
 */
export function safeLine(line: string): string {
  return line.replace(besidesColours, (found) =>
    found.length > 1 || found === '\t' ? found : escapeOf(found),
  );
}
