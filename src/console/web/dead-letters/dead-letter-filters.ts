/** Filters of the page as the routes of dead letters take them. Pure. */
import type { Filters } from '../parts/filter-bar.tsx';

export function queryOf({ url, label, queueName, responseStatus }: Filters) {
  return {
    ...(url !== undefined && { url: [url] }),
    ...(label !== undefined && { label: [label] }),
    ...(queueName !== undefined && { queueName: [queueName] }),
    ...(responseStatus !== undefined && { responseStatus: [Number(responseStatus)] }),
  };
}
