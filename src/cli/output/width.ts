/** How many terminal columns a text takes: two for wide characters, none for combining marks. */
import { stripVTControlCharacters } from 'node:util';
import { eastAsianWidth } from 'get-east-asian-width';

const narrowOnly = /^[\x20-\x7e]*$/;
/** Characters that combine with the one before. */
const takesNone = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]/u;
const isPicture = /^\p{Emoji_Presentation}|\ufe0f/u;

/** Splits a text into what people perceive as characters. */
const characters = new Intl.Segmenter();

/** The columns that a text takes, not counting colour codes. */
export function widthOf(text: string): number {
  const shown = stripVTControlCharacters(text);
  if (narrowOnly.test(shown)) return shown.length;
  let width = 0;
  for (const { segment } of characters.segment(shown)) width += widthOfCharacter(segment);
  return width;
}

/**
 * A text without colours, cut to at most `width` columns; a text that was cut ends with an
 * ellipsis.
 */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let left = width - 1;
  for (const { segment, index } of characters.segment(text)) {
    left -= widthOfCharacter(segment);
    if (left < 0) return `${text.slice(0, index)}…`;
  }
  return text;
}

/** A text padded with trailing spaces to `width` columns. */
export function paddedTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function widthOfCharacter(character: string): number {
  if (takesNone.test(character)) return 0;
  return isPicture.test(character) ? 2 : eastAsianWidth(character.codePointAt(0) ?? 0);
}
