/** A page of letters as a listing answers it: as many as were asked for, or fewer large ones. */

import type { LetterPage } from './letter-search.js';
import type { PlacedLetter } from './letter-shelf.js';

/** A page ends early when the bodies on it weigh this much. */
const pageBytesMax = 8 * 1024 * 1024;

/** The bodies that a letter is shown with. */
export interface ShownBodies {
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly responseBody?: string;
  readonly responseBodyBase64?: string;
}

/** The letters of a page as `show` shows them; `cursor` is there if more follow. */
export async function listed<Letter extends PlacedLetter, Shown extends ShownBodies>(
  { letters, cursor }: LetterPage<Letter>,
  show: (letter: Letter) => Promise<Shown>,
): Promise<{ messages: Shown[]; cursor?: string }> {
  const messages: Shown[] = [];
  let bytes = 0;
  let last: Letter | undefined;
  for (const letter of letters) {
    if (last !== undefined && bytes > pageBytesMax) return { messages, cursor: last.id };
    const shown = await show(letter);
    bytes += weightOf(shown);
    messages.push(shown);
    last = letter;
  }
  return { messages, ...(cursor !== null && { cursor }) };
}

function weightOf({ body, bodyBase64, responseBody, responseBodyBase64 }: ShownBodies): number {
  const texts = [body, bodyBase64, responseBody, responseBodyBase64];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}
