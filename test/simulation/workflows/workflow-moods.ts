/** How the endpoint of simulated workflows takes a delivery: as it should, mostly. */
import type { SeededRandom } from '../seeded-random.js';
import { type Answer, answered } from '../simulated-endpoints.js';

const sdk = ['Svc-Workflow-Sdk-Version', '1', 'Svc-Workflow-Sdk', 'v1.3.2'];
export const done = answered(200, ...sdk);
export const failed = answered(500, ...sdk);
export const refused = answered(489, ...sdk, 'Svc-NonRetryable-Error', 'true');
const unreachable: Answer = { status: 0, headers: [], error: 'connection refused' };

/** What an endpoint does with a delivery, and what the server hears of that; null = nothing. */
export interface Mood {
  readonly acts: 'not' | 'once' | 'twice' | 'later' | 'again';
  readonly says: Answer | null;
}

const good: Mood = { acts: 'once', says: done };
const moods: readonly Mood[] = [
  ...Array.from({ length: 12 }, () => good),
  { acts: 'not', says: failed },
  { acts: 'not', says: unreachable },
  { acts: 'not', says: answered(429, ...sdk, 'Retry-After', '7') },
  { acts: 'not', says: null },
  { acts: 'once', says: failed },
  { acts: 'once', says: null },
  { acts: 'twice', says: done },
  { acts: 'later', says: null },
  { acts: 'later', says: failed },
  { acts: 'again', says: done },
];
const evilMoods: readonly Mood[] = [
  { acts: 'not', says: refused },
  { acts: 'not', says: done },
  { acts: 'not', says: answered(200) },
];

export function randomMood(random: SeededRandom, isMoody: boolean): Mood {
  if (!isMoody) return good;
  return random.chance(0.01) ? random.pick(evilMoods) : random.pick(moods);
}
