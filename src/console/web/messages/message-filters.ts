/** The filters of the message list, and their conversion for the routes. Pure. */
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { typedUrls } from '../parts/filters/typed-urls.ts';

/** The states of pending messages, which the server has in memory. */
export const pendingStates = ['DELAYED', 'WAITING', 'ACTIVE', 'RETRY'] as const;
type PendingState = (typeof pendingStates)[number];

/**
 * The final states of messages, which are queried in the log: a pending message has none of them.
 */
export const endStates = ['DELIVERED', 'FAILED', 'CANCELED'] as const;
type EndState = (typeof endStates)[number];

/** Whether a state filter of the address selects pending messages in that state. */
export const isPending = (state: string | undefined): state is PendingState =>
  pendingStates.some((each) => each === state);
/** Whether a state filter of the address selects messages with that final state. */
export const isEnd = (state: string | undefined): state is EndState =>
  endStates.some((each) => each === state);

/** A text is only searched in the log, not in memory. */
export const isSearched = ({ contains }: ChosenFilters): boolean => contains !== undefined;

/** Parses a time of the address, which may be edited by hand. */
function timeOf(text: string | undefined): number | undefined {
  const time = Number(text);
  return text === undefined || !Number.isFinite(time) || time < 0 ? undefined : time;
}

/** The selected period, in Unix ms. */
export function stretchOf({ fromDate, toDate }: ChosenFilters) {
  return { fromDate: timeOf(fromDate), toDate: timeOf(toDate) };
}

/** The filters that every route of messages has. */
export function queryOf(filters: ChosenFilters) {
  const { label, url, queueName, flowControlKey } = filters;
  const { fromDate, toDate } = stretchOf(filters);
  return {
    ...(label !== undefined && { label: [label] }),
    ...(url !== undefined && { url: typedUrls(url) }),
    ...(queueName !== undefined && { queueName: [queueName] }),
    ...(flowControlKey !== undefined && { flowControlKey: [flowControlKey] }),
    ...(fromDate !== undefined && { fromDate }),
    ...(toDate !== undefined && { toDate }),
  };
}
