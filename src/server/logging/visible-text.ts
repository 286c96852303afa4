/**
 * Texts that others have chosen, on their way to a terminal. A control character could move the
 * cursor, write over what stands there, or turn the direction of the text.
 */

/** Of C0, DEL and C1, and those of Unicode that turn text or break lines; for `u` expressions. */
export const unseenCharacter = String.raw`[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]`;

const everywhere = new RegExp(unseenCharacter, 'gu');

/** The text with each such character as its escape in JSON: a line of JSON keeps its meaning. */
export function visibleText(text: string): string {
  return text.replace(everywhere, escapeOf);
}

/** `\u001b` of an escape character. */
export function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
