/** A page of letters for a listing: as many as requested, or fewer if they are large. */
import { DamageNotes } from '../../engine/reading/damage-notes.js';
import type { ListingPage } from '../../http/bytes/listing.js';
import type { StoredText } from '../../http/bytes/stored-text.js';
import type { PlacedLetter } from './letter-index.js';
import { cursorAfter, type LetterPage } from './letter-search.js';

/** A part ends early when its bodies reach this size. */
const pageBytesMax = 1024 * 1024;

/** The bodies that are shown of a letter. */
export interface ShownBodies {
  readonly body?: StoredText;
  readonly bodyBase64?: StoredText;
  readonly responseBody?: StoredText;
  readonly responseBodyBase64?: StoredText;
}

/**
 * Shows the letters of one page, part by part: see `sendListing`. A letter that cannot be read is
 * noted and left out.
 */
export function listed<Letter extends PlacedLetter>(
  find: (damage: DamageNotes) => Promise<LetterPage<Letter>>,
  show: (letter: Letter) => Promise<ShownBodies>,
): (cursor: string | null, rowsSent: number) => Promise<ListingPage> {
  let found: LetterPage<Letter> | null = null;
  let shownUntil = 0;
  return async () => {
    const damage = new DamageNotes();
    found ??= await find(damage);
    const rows: ShownBodies[] = [];
    let bytes = 0;
    let last: Letter | undefined;
    for (const letter of found.letters.slice(shownUntil)) {
      if (last !== undefined && bytes > pageBytesMax) {
        return { rows, cursor: cursorAfter(last, null), isLong: true, damages: damage.all };
      }
      try {
        const shown = await show(letter);
        bytes += weightOf(shown);
        rows.push(shown);
      } catch (error) {
        damage.note(error);
      }
      shownUntil += 1;
      last = letter;
    }
    const { cursor, searchedTo } = found;
    const end = { cursor, ...(searchedTo !== undefined && { searchedTo }) };
    return { rows, isLong: false, damages: damage.all, ...end };
  };
}

function weightOf({ body, bodyBase64, responseBody, responseBodyBase64 }: ShownBodies): number {
  const texts = [body, bodyBase64, responseBody, responseBodyBase64];
  return texts.reduce((sum, text) => sum + (text?.weight ?? 0), 0);
}
