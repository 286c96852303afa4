/** The requests of the overview. */
import { api, ask } from '../api/client.ts';
import { now } from '../time/clock.ts';

const hourMs = 3_600_000;
const names = [
  ...['published', 'delivered', 'retried', 'failed', 'lagP50', 'lagP99'],
  ...['pending', 'deadLetters', 'activeRuns', 'requests', 'residentBytes', 'queueLag'],
];

/** The present state of the server; rejects as `ask` does. */
export const loadOverview = () => ask(api.GET('/admin/overview'));

/** The series of the last hour. */
export const loadSeries = () => {
  const query = { names: names.join(','), from: now() - hourMs };
  return ask(api.GET('/admin/series', { params: { query } }));
};

/** The answer of `/admin/overview`. */
export type LoadedOverview = Awaited<ReturnType<typeof loadOverview>>;
/** The answer of `/admin/series`. */
export type AllSeries = Awaited<ReturnType<typeof loadSeries>>;
