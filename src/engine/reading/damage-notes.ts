/** What of the journal could not be read for one answer: it is said beside what could. */
import { DamagedData } from '../journal.js';

/** One answer names so many places at most: `stepwell journal verify` names all. */
const placesMax = 10;

/** Made for one answer, which shows `all` of it under a field of its own (ADR 66). */
export class DamageNotes {
  /** By where it begins: what is read alone tells the same damage with another end. */
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
