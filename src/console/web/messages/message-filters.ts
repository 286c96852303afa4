/** The filters of the list of messages, and how routes take them. Pure. */
import type { ChosenFilters } from '../parts/filter-bar.tsx';

/** States of messages that have not ended: memory has those. */
export const pendingStates = ['DELAYED', 'WAITING', 'ACTIVE', 'RETRY'] as const;
type PendingState = (typeof pendingStates)[number];

/**
 * What a message is once it is final: the logs are asked for those, as nothing pending has them.
 */
export const endStates = ['DELIVERED', 'FAILED', 'CANCELED'] as const;
type EndState = (typeof endStates)[number];

/** Whether the filter of the address asks for what is pending in this state. */
export const isPending = (state: string | undefined): state is PendingState =>
  pendingStates.some((each) => each === state);
/** Whether it asks for what has ended so. */
export const isEnd = (state: string | undefined): state is EndState =>
  endStates.some((each) => each === state);

/** A text is looked for in the log only: memory is not searched. */
export const isSearched = ({ contains }: ChosenFilters): boolean => contains !== undefined;

/** A time of the address, which may be edited by hand. */
function timeOf(text: string | undefined): number | undefined {
  const time = Number(text);
  return text === undefined || !Number.isFinite(time) || time < 0 ? undefined : time;
}

/** The stretch of time that is chosen, Unix milliseconds. */
export function stretchOf({ fromDate, toDate }: ChosenFilters) {
  return { fromDate: timeOf(fromDate), toDate: timeOf(toDate) };
}

/** Filters that every route of messages knows. */
export function queryOf(filters: ChosenFilters) {
  const { label, url, queueName, flowControlKey } = filters;
  const { fromDate, toDate } = stretchOf(filters);
  return {
    ...(label !== undefined && { label: [label] }),
    ...(url !== undefined && { url: [url] }),
    ...(queueName !== undefined && { queueName: [queueName] }),
    ...(flowControlKey !== undefined && { flowControlKey: [flowControlKey] }),
    ...(fromDate !== undefined && { fromDate }),
    ...(toDate !== undefined && { toDate }),
  };
}
