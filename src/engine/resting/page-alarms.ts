/** The earliest alarm of each page of streams, and the page with the earliest of all. */
import { type Alarm, noAlarm } from './resting-page.js';

/** Part of `RestingStreams`, which numbers its pages from 0. */
export class PageAlarms {
  private readonly times: number[] = [];
  private readonly offsets: number[] = [];
  /** The page with the earliest alarm; -1 = not known. */
  private first = -1;

  /** Sets the earliest alarm of a page. */
  set(page: number, { at, firstOffset }: Alarm): void {
    this.times[page] = at;
    this.offsets[page] = firstOffset;
    if (page === this.first) this.first = -1;
    else if (this.first >= 0 && this.isBefore(page, this.first)) this.first = page;
  }

  /** The time of a page's earliest alarm, Unix milliseconds; Infinity = it has none. */
  timeOf(page: number): number {
    return this.times[page] ?? noAlarm.at;
  }

  /** The page with the earliest alarm; of equal ones, that of the stream that began first. */
  earliest(): number {
    if (this.first >= 0) return this.first;
    const { times, offsets } = this;
    let earliest = 0;
    let at = this.timeOf(0);
    for (let page = 1; page < times.length; page += 1) {
      const other = times[page] ?? noAlarm.at;
      if (other > at) continue;
      if (other === at && (offsets[page] ?? 0) >= (offsets[earliest] ?? 0)) continue;
      earliest = page;
      at = other;
    }
    this.first = earliest;
    return earliest;
  }

  private isBefore(page: number, other: number): boolean {
    const at = this.timeOf(page);
    const otherAt = this.timeOf(other);
    if (at !== otherAt) return at < otherAt;
    return (this.offsets[page] ?? 0) < (this.offsets[other] ?? 0);
  }
}
