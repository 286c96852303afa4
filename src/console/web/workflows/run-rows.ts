/** The rows of the list of runs. */
import { api, ask } from '../api/client.ts';
import type { RowPage } from '../api/rows.ts';
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { typedUrls } from '../parts/filters/typed-urls.ts';
import { labelsText } from '../parts/labels.ts';

/** A run, as the list shows it. */
export interface ListedRun {
  readonly id: string;
  readonly state: string;
  readonly url: string;
  readonly labels: string | undefined;
  readonly steps: number;
  /** Both in Unix ms. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** The names of steps that are running, awaited or failed; undefined if there are none. */
  readonly current: string | undefined;
}

/** The states that the filter offers. */
export const states = ['RUN_STARTED', 'RUN_SUCCESS', 'RUN_FAILED', 'RUN_CANCELED'] as const;
type State = (typeof states)[number];
const isState = (state: string | undefined): state is State => states.some((of) => of === state);

/** An answer of the server has ten runs with their steps; a page of the list has more. */
const answersMax = 4;

/** A page of the list: a few answers of the server, as each has at most ten runs. */
export async function loadRuns(
  filters: ChosenFilters,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<RowPage<ListedRun>> {
  const rows: ListedRun[] = [];
  const damaged: { readonly error: string }[] = [];
  let next = cursor;
  for (let answers = 0; answers < answersMax; answers += 1) {
    const page = await ask(
      api.GET('/v2/workflows/logs', { params: { query: queryOf(filters, next) }, signal }),
    );
    rows.push(...page.runs.map(rowOf));
    damaged.push(...(page.damaged ?? []));
    next = page.cursor;
    if (next === undefined) break;
  }
  return { rows, cursor: next, damaged };
}

function queryOf({ state, url, label, id }: ChosenFilters, cursor: string | undefined) {
  return {
    trimBody: -1,
    ...(cursor !== undefined && { cursor }),
    ...(isState(state) && { state: [state] }),
    ...(url !== undefined && { workflowUrl: typedUrls(url) }),
    ...(label !== undefined && { label: [label] }),
    ...(id !== undefined && { workflowRunId: [id] }),
  };
}

type Run = Awaited<ReturnType<typeof loadAnswer>>['runs'][number];
const loadAnswer = () => ask(api.GET('/v2/workflows/logs'));

interface OpenStep {
  readonly state: string;
  readonly stepName?: string;
}

function rowOf(run: Run): ListedRun {
  const groups = run.steps.toReversed();
  const open = groups
    .flatMap(({ steps }): readonly OpenStep[] => steps)
    .filter(({ state }) => state !== 'STEP_SUCCESS')
    .flatMap(({ stepName }) => stepName ?? []);
  const isOver = run.workflowState !== 'RUN_STARTED' && run.workflowState !== 'RUN_FAILED';
  return {
    id: run.workflowRunId,
    state: run.state,
    url: run.workflowUrl,
    labels: labelsText(run),
    steps: groups.reduce((sum, { type, steps }) => sum + (type === 'next' ? 0 : steps.length), 0),
    startedAt: run.workflowRunCreatedAt,
    endedAt: run.workflowRunCompletedAt,
    current: isOver || open.length === 0 ? undefined : [...new Set(open)].join(', '),
  };
}
