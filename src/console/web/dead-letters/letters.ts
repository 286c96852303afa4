/** Dead letters of messages and of runs, as the page shows them, and the actions on them. */
import { api, ask } from '../api/client.ts';
import type { RowPage } from '../api/rows.ts';
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { labelsText } from '../parts/labels.ts';
import { kindOf, type LetterKind, messageQuery, runQuery } from './dead-letter-filters.ts';

/** A row of the page, of either kind. */
export interface Letter {
  readonly dlqId: string;
  /** The page of what has failed, relative to `/console`. */
  readonly page: string;
  readonly method: string;
  readonly url: string;
  readonly labels: string | undefined;
  /** 0 = there was no answer. */
  readonly responseStatus: number;
  /** The answer, or why there was none. */
  readonly answer: string;
  /** When it failed for good, in Unix ms. */
  readonly at: number;
  /** The whole object that the server sent. */
  readonly whole: object;
}

const pageSize = 100;

/** The id of a dead letter begins with the time of the failure (messaging.md 10). */
const timeIn = (dlqId: string) => Number.parseInt(dlqId, 10);

/** A page of dead letters, newest first. */
export function loadLetters(
  filters: ChosenFilters,
  cursor: string | undefined,
  signal?: AbortSignal,
): Promise<RowPage<Letter>> {
  return kindOf(filters) === 'runs'
    ? loadRuns(filters, cursor, signal)
    : loadMessages(filters, cursor, signal);
}

async function loadMessages(
  filters: ChosenFilters,
  cursor: string | undefined,
  signal: AbortSignal | undefined,
): Promise<RowPage<Letter>> {
  const query = { ...messageQuery(filters), count: pageSize, ...(cursor && { cursor }) };
  const page = await ask(api.GET('/v2/dlq', { params: { query }, ...(signal && { signal }) }));
  const rows = page.messages.map((message) => ({
    dlqId: message.dlqId,
    page: `/messages/${encodeURIComponent(message.messageId)}`,
    method: message.method,
    url: message.url,
    labels: labelsText(message),
    responseStatus: message.responseStatus ?? 0,
    answer: message.responseBody ?? '',
    at: timeIn(message.dlqId),
    whole: message,
  }));
  return { rows, cursor: page.cursor, damaged: page.damaged };
}

async function loadRuns(
  filters: ChosenFilters,
  cursor: string | undefined,
  signal: AbortSignal | undefined,
): Promise<RowPage<Letter>> {
  const query = { ...runQuery(filters), count: pageSize, ...(cursor && { cursor }) };
  const asked = api.GET('/v2/workflows/dlq', { params: { query }, ...(signal && { signal }) });
  const page = await ask(asked);
  const rows = page.messages.map((run) => ({
    dlqId: run.dlqId,
    page: `/workflows/${encodeURIComponent(run.workflowRunId)}`,
    method: 'POST',
    url: run.workflowUrl,
    labels: labelsText(run),
    responseStatus: run.responseStatus ?? 0,
    answer: run.error ?? run.responseBody ?? '',
    at: timeIn(run.dlqId),
    whole: run,
  }));
  return { rows, cursor: page.cursor, damaged: page.damaged };
}

/** The actions: a message is retried; a run is resumed or restarted; both can be deleted. */
export type LetterVerb = 'retry' | 'resume' | 'restart' | 'delete';

/** The actions for letters of each kind, in the order of the buttons. */
export const verbsOf: Readonly<Record<LetterKind, readonly LetterVerb[]>> = {
  messages: ['retry', 'delete'],
  runs: ['resume', 'restart', 'delete'],
};

/** The text of each button. */
export const wordOf: Readonly<Record<LetterVerb, string>> = {
  retry: 'Retry',
  resume: 'Resume',
  restart: 'Restart',
  delete: 'Delete',
};

/** What each action does, to show before it is done. */
export const meaningOf: Readonly<Record<LetterVerb, string>> = {
  retry: 'Each becomes a new message.',
  resume: 'Each becomes a new run, which continues at the failed step.',
  restart: 'Each becomes a new run with the same payload.',
  delete: 'Deleted dead letters cannot be retried.',
};

/** The kinds of data that an action changes: the first parts of query keys. */
export const changedKinds = ['dlq', 'message', 'run'];

/**
 * How many letters one request takes: more than these would be left for the next request, which the
 * server expects (workflows.md 6.2).
 */
const takenMax: Readonly<Record<LetterVerb, number>> = {
  retry: 100,
  resume: 50,
  restart: 50,
  delete: 100,
};

/** Applies an action to letters by their ids, in as many requests as that takes. */
export async function apply(
  kind: LetterKind,
  verb: LetterVerb,
  ids: readonly string[],
): Promise<void> {
  const taken = takenMax[verb];
  for (let from = 0; from < ids.length; from += taken) {
    await applySome(kind, verb, ids.slice(from, from + taken));
  }
}

async function applySome(kind: LetterKind, verb: LetterVerb, dlqIds: string[]): Promise<void> {
  const params = { query: { dlqIds } };
  if (kind === 'messages') {
    await (verb === 'retry'
      ? ask(api.POST('/v2/dlq/retry', { params }))
      : ask(api.DELETE('/v2/dlq', { params })));
    return;
  }
  if (verb === 'resume') await ask(api.POST('/v2/workflows/dlq/resume', { params }));
  else if (verb === 'restart') await ask(api.POST('/v2/workflows/dlq/restart', { params }));
  else await ask(api.DELETE('/v2/workflows/dlq', { params }));
}
