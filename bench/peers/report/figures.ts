/** Numbers as the tables show them. */
import type { Spread } from '../../measure/statistics.js';

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** Three digits that mean something. */
export function short(value: number): string {
  if (Math.abs(value) >= 100) return whole(value);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

export function times(ratio: Spread | null): string {
  return ratio === null ? '' : `${short(ratio.median)}x`;
}

export function spreadOf({ median, lowest, highest }: Spread): string {
  return `${short(median)} (${short(lowest)}-${short(highest)})`;
}
