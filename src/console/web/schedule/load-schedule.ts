/** Loads one schedule and its times for pages. */
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../api/client.ts';
import { now } from '../time/clock.ts';
import { type Heat, heatDays, heatOf } from './heat.ts';

const loadSchedule = (id: string) =>
  ask(api.GET('/v2/schedules/{id}', { params: { path: { id } } }));

/** The object of `/v2/schedules/{id}`. */
export type Schedule = Awaited<ReturnType<typeof loadSchedule>>;

/** The state for the schedule's mark: it cannot fire, it is paused, or it is on. */
export const stateOf = ({ isPaused, error }: Schedule): string =>
  error !== undefined ? 'FAILED' : isPaused ? 'PAUSED' : 'ON';

/** A schedule, reloaded whenever something happens to schedules. */
export const useSchedule = (id: string) =>
  useQuery({ queryKey: ['schedule', id], queryFn: () => loadSchedule(id) });

/** The last triggers of a schedule, newest first. */
export const useResults = (id: string) =>
  useQuery({
    queryKey: ['schedule', id, 'results'],
    queryFn: () => ask(api.GET('/v2/schedules/{id}/results', { params: { path: { id } } })),
  });

/**
 * How many times one answer of the server holds; a schedule that fires each minute has ten times as
 * many in a week.
 */
const timesMax = 1000;
const dayMs = 86_400_000;

/** The times of the next seven days at least, and how many there are in each hour of those. */
export function useTimes(id: string, cron: string) {
  return useQuery({
    // Not of the kind `schedule`: each trigger of any schedule would load all of them again.
    queryKey: ['times', id, cron],
    queryFn: async ({ signal }) => {
      const begin = now();
      const end = begin + heatDays * dayMs;
      const times: number[] = [];
      let zone = 'UTC';
      for (let from = begin; from < end; ) {
        const params = { path: { id }, query: { count: timesMax, from } };
        const page = await ask(api.GET('/v2/schedules/{id}/next', { params, signal }));
        zone = page.zone;
        times.push(...page.times);
        from = page.times.at(-1) ?? end;
      }
      const heat: Heat = heatOf(times, zone, begin);
      return { times, zone, heat };
    },
    staleTime: dayMs / 24,
    refetchInterval: dayMs / 24,
  });
}
