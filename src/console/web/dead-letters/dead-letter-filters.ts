/** Filters of the page as the routes of dead letters take them. Pure. */
import type { ChosenFilters } from '../parts/filter-bar.tsx';

/** Messages, or runs of workflows, that have failed for good. */
export type LetterKind = 'messages' | 'runs';

/** Which letters the address asks for: those of messages, unless it says runs. */
export const kindOf = ({ of }: ChosenFilters): LetterKind => (of === 'runs' ? 'runs' : 'messages');

/** A status of the address, which may be edited by hand; the server says what is wrong with it. */
const common = ({ label, flowControlKey, responseStatus }: ChosenFilters) => ({
  ...(label !== undefined && { label: [label] }),
  ...(flowControlKey !== undefined && { flowControlKey: [flowControlKey] }),
  ...(responseStatus !== undefined && { responseStatus: [Number(responseStatus)] }),
});

/** Of messages. */
export function messageQuery(filters: ChosenFilters) {
  const { url, queueName, host } = filters;
  return {
    ...common(filters),
    ...(url !== undefined && { url: [url] }),
    ...(queueName !== undefined && { queueName: [queueName] }),
    ...(host !== undefined && { host: [host] }),
  };
}

/** Of failed runs, whose URL is that of the workflow; they stand in no queue. */
export function runQuery(filters: ChosenFilters) {
  const { url } = filters;
  return { ...common(filters), ...(url !== undefined && { workflowUrl: [url] }) };
}

/** As a request of a job has them, whose filters are those of the listing. */
export const filterOf = (filters: ChosenFilters) =>
  kindOf(filters) === 'runs' ? runQuery(filters) : messageQuery(filters);

const words: Readonly<Record<string, string>> = {
  url: 'the URL is',
  host: 'the host is',
  label: 'a label is',
  queueName: 'the queue is',
  flowControlKey: 'the flow-control key is',
  responseStatus: 'the status is',
};

/** What the filters say, in words: for before something is done to all. */
export function conditionsOf(filters: ChosenFilters): readonly string[] {
  return Object.entries(filters).flatMap(([name, value]) =>
    words[name] === undefined || value === undefined ? [] : [`${words[name]} ${value}`],
  );
}
