/**
 * Resumes a failed run with a replaced result of one of its steps, for example one that was
 * computed wrongly.
 */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, ask } from '../api/client.ts';
import { jsonIn } from '../api/json-in.ts';
import { useChange } from '../parts/change.ts';
import { Dialog, SubmitRow } from '../parts/dialog.tsx';
import { Choice, TextArea } from '../parts/field.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { loadWholeSteps, type ShownRun } from './run-log.ts';

interface EditProps {
  readonly runId: string;
  readonly dlqId: string;
  readonly close: () => void;
  /** Called with the id of the new run. */
  readonly resumed: (runId: string) => void;
}

/** A step of the endpoint that has a result. */
interface Result {
  readonly stepId: number;
  readonly stepName: string;
  readonly out: string;
}

/** The results of a run; a hidden result has to be typed again. */
function resultsOf(steps: ShownRun['steps']): readonly Result[] {
  return steps.flatMap((group) => {
    if (group.type === 'next') return [];
    return group.steps.flatMap(({ stepId, stepName, stepType, state, out = '' }) => {
      const isResult = stepType === 'Run' && stepId > 0 && state !== 'STEP_PROGRESS';
      return isResult ? [{ stepId, stepName, out: out.startsWith('REDACTED:') ? '' : out }] : [];
    });
  });
}

/** Results are loaded once, when the dialog opens: a failed run gets no new ones. */
export function EditDialog({ runId, close, ...others }: EditProps) {
  const query = useQuery({
    queryKey: ['run', runId, 'results'],
    queryFn: async () => resultsOf(await loadWholeSteps(runId)),
    refetchInterval: false,
  });
  return (
    <Dialog title="Resume with another result" close={close}>
      <Loaded query={query} lines={4}>
        {(results) => {
          const last = results.at(-1);
          return last === undefined ? (
            <p>No step of this run has a result to replace.</p>
          ) : (
            <EditForm results={results} last={last} close={close} {...others} />
          );
        }}
      </Loaded>
    </Dialog>
  );
}

interface FormProps extends Omit<EditProps, 'runId'> {
  readonly results: readonly Result[];
  readonly last: Result;
}

function EditForm({ results, last, dlqId, close, resumed }: FormProps) {
  const [edited, setEdited] = useState(last);
  const [isJson, setJson] = useState(true);
  const resume = useChange(
    () =>
      ask(
        api.POST('/v2/workflows/dlq/resume/{id}', {
          params: { path: { id: dlqId } },
          body: { steps: [{ stepId: edited.stepId, out: null }] },
          // As it was typed: JavaScript would round long numbers.
          bodySerializer: () => `{"steps":[{"stepId":${edited.stepId},"out":${edited.out}}]}`,
        }),
      ),
    ['run', 'dlq'],
    ({ workflowRunId }) => resumed(workflowRunId),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isValid = jsonIn(edited.out) !== undefined;
    setJson(isValid);
    if (isValid) resume.mutate();
  };
  const choose = (id: string) => {
    const chosen = results.find(({ stepId }) => String(stepId) === id);
    if (chosen !== undefined) setEdited(chosen);
  };
  return (
    <form onSubmit={submit}>
      <p className="mb-3 text-muted">
        A new run continues where this one failed, as if the step had returned this. What later
        steps returned stays as it is.
      </p>
      <Choice label="Step" value={edited.stepId} onChange={(event) => choose(event.target.value)}>
        {results.map(({ stepId, stepName }) => (
          <option key={stepId} value={stepId}>
            {stepId}. {stepName}
          </option>
        ))}
      </Choice>
      <TextArea
        label="Result"
        hint="JSON"
        required
        rows={8}
        value={edited.out}
        onChange={(event) => setEdited({ ...edited, out: event.target.value })}
      />
      {!isJson && <Failure error={new Error('This is not JSON. Write a text in quotes.')} />}
      {resume.error !== null && <Failure error={resume.error} />}
      <SubmitRow disabled={resume.isPending} close={close}>
        Resume
      </SubmitRow>
    </form>
  );
}
