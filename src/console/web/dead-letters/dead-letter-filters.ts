/** Converts the filters of the page into those of the dead-letter routes. Pure. */
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { typedUrls } from '../parts/filters/typed-urls.ts';

/** Messages, or workflow runs, that have failed for good. */
export type LetterKind = 'messages' | 'runs';

/** Which letters the address selects: those of messages, unless it says runs. */
export const kindOf = ({ of }: ChosenFilters): LetterKind => (of === 'runs' ? 'runs' : 'messages');

/** The address may be edited by hand; the server reports an invalid status. */
const common = ({ label, flowControlKey, responseStatus }: ChosenFilters) => ({
  ...(label !== undefined && { label: [label] }),
  ...(flowControlKey !== undefined && { flowControlKey: [flowControlKey] }),
  ...(responseStatus !== undefined && { responseStatus: [Number(responseStatus)] }),
});

/** The query for messages. */
export function messageQuery(filters: ChosenFilters) {
  const { url, queueName, host, error } = filters;
  return {
    ...common(filters),
    ...(url !== undefined && { url: typedUrls(url) }),
    ...(queueName !== undefined && { queueName: [queueName] }),
    ...(host !== undefined && { host: [host] }),
    ...(error !== undefined && { error: [error] }),
  };
}

/** The query for failed runs, whose URL is that of the workflow; they have no queue. */
export function runQuery(filters: ChosenFilters) {
  const { url } = filters;
  return { ...common(filters), ...(url !== undefined && { workflowUrl: typedUrls(url) }) };
}

/** The filter for a job, which takes the same filters as the listing. */
export const filterOf = (filters: ChosenFilters) =>
  kindOf(filters) === 'runs' ? runQuery(filters) : messageQuery(filters);

const words: Readonly<Record<string, string>> = {
  url: 'the URL is',
  host: 'the host is',
  error: 'the error is',
  label: 'a label is',
  queueName: 'the queue is',
  flowControlKey: 'the flow-control key is',
  responseStatus: 'the status is',
};

/** The filters in words, to show before an action on all letters. */
export function conditionsOf(filters: ChosenFilters): readonly string[] {
  return Object.entries(filters).flatMap(([name, value]) =>
    words[name] === undefined || value === undefined ? [] : [`${words[name]} ${value}`],
  );
}
