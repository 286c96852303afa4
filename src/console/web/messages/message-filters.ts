/** The filters of the list of messages, and how routes take them. Pure. */
import type { Filters } from '../parts/filter-bar.tsx';

/** States of messages that have not ended: memory has those. */
export const pendingStates = ['DELAYED', 'WAITING', 'ACTIVE', 'RETRY'] as const;
export type PendingState = (typeof pendingStates)[number];

export const endStates = ['DELIVERED', 'FAILED', 'CANCELED'] as const;
export type EndState = (typeof endStates)[number];

export const isPending = (state: string | undefined): state is PendingState =>
  pendingStates.some((each) => each === state);
export const isEnd = (state: string | undefined): state is EndState =>
  endStates.some((each) => each === state);

/** A text is looked for in the log only: memory is not searched. */
export const isSearched = ({ contains }: Filters): boolean => contains !== undefined;

/** A time of the address, which may be edited by hand. */
function timeOf(text: string | undefined): number | undefined {
  const time = Number(text);
  return text === undefined || !Number.isFinite(time) || time < 0 ? undefined : time;
}

/** The stretch of time that is chosen, Unix milliseconds. */
export function stretchOf({ fromDate, toDate }: Filters) {
  return { fromDate: timeOf(fromDate), toDate: timeOf(toDate) };
}

/** Filters that every route of messages knows. */
export function queryOf(filters: Filters) {
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
