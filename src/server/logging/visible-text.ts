/**
 * Makes texts from outside safe for a terminal. A control character could move the cursor,
 * overwrite what is there, or reverse the direction of the text.
 */

/**
 * Characters of C0, DEL and C1, and those of Unicode that change direction or break lines; for `u`
 * expressions.
 */
export const unseenCharacter = String.raw`[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]`;

const everywhere = new RegExp(unseenCharacter, 'gu');

/**
 * The text with each such character as its JSON escape, so that a line of JSON keeps its meaning.
 */
export function visibleText(text: string): string {
  return text.replace(everywhere, escapeOf);
}

/** `\u001b` for an escape character. */
export function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
