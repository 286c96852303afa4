/** What others have chosen (labels, bodies, errors, names), as it may go to a terminal. */
import { escapeOf, unseenCharacter, visibleText } from '../../server/logging/visible-text.js';
import { codes } from './style.js';

const own = [...new Set(Object.values(codes).flat())].join('|');
// A colour of ours is one match, unlike a lone escape character.
const besidesColours = new RegExp(String.raw`\x1b\[(?:${own})m|${unseenCharacter}`, 'gu');

/** A text of others on one line: line breaks and tabs are spaces, the rest shows as escapes. */
export function oneLine(text: string): string {
  return visibleText(text.replace(/[\t\n\r]+/g, ' '));
}

/** A line without colours as it may go out: with escapes for all that a terminal would obey. */
export function plainLine(line: string): string {
  return line.split('\t').map(visibleText).join('\t');
}

/**
 * A line as it may go out, to a terminal or to the pager behind a pipe: with the colours of
 * `style.ts`, and with escapes for anything else that a terminal would obey.
 */
export function safeLine(line: string): string {
  return line.replace(besidesColours, (found) =>
    found.length > 1 || found === '\t' ? found : escapeOf(found),
  );
}
