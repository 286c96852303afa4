/** Which places of the shared log are so old that no node needs them any more. */

/** Places are noted this far apart. */
const apartMs = 60_000;

export class OutdatedPlaces {
  /** Oldest first. */
  private noted: { readonly place: number; readonly at: number }[] = [];

  /** `retentionMs`: how long entries stay. */
  constructor(private readonly retentionMs: number) {}

  /** Notes where the log ends at `at`; returns the place before which all may go, or null. */
  take(place: number, at: number): number | null {
    const last = this.noted.at(-1);
    if (last === undefined || at - last.at >= apartMs) this.noted.push({ place, at });
    let before: number | null = null;
    while (this.noted.length > 0) {
      const [oldest] = this.noted;
      if (oldest === undefined || at - oldest.at < this.retentionMs) break;
      before = oldest.place;
      this.noted.shift();
    }
    return before;
  }
}
