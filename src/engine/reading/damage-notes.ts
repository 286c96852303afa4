/** The damage met while the journal is read for one answer: shown beside what could be read. */
import { DamagedData } from '../journal.js';

/** How many places one answer names at most: `stepwell journal verify` names all. */
const placesMax = 10;

/** Made for one answer, which shows `all` in a field of its own (ADR 66). */
export class DamageNotes {
  /** By the place where damage begins: separate reads may report other ends of the same damage. */
  private readonly byPlace = new Map<string, DamagedData>();

  /** Notes damage; throws any other error. */
  note(error: unknown): void {
    if (!(error instanceof DamagedData)) throw error;
    const { file, from } = error.range;
    const place = `${file} ${from}`;
    const isKnown = this.byPlace.has(place);
    if (!isKnown && this.byPlace.size < placesMax) this.byPlace.set(place, error);
  }

  /** At most ten, in the order in which they were met. */
  get all(): readonly DamagedData[] {
    return [...this.byPlace.values()];
  }
}
