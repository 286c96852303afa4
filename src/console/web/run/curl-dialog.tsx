/** Commands for a run: to start one like it, to ask about it, to cancel it. */
import { useQuery } from '@tanstack/react-query';
import { bodyWords } from '../bodies/body-words.ts';
import { Code } from '../parts/code.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { labelsText } from '../parts/labels.ts';
import { quoted } from '../parts/shell-words.ts';
import { Loaded, useCurl, useHeaderPrefix } from '../parts/states.tsx';
import { destinationPath } from '../publish/destination-path.ts';
import { loadWholeSteps, type ShownRun } from './run-log.ts';

export function CurlDialog({ run, close }: { readonly run: ShownRun; readonly close: () => void }) {
  const curl = useCurl();
  const { workflowRunId: id } = run;
  const path = encodeURIComponent(id);
  return (
    <Dialog title="As commands" close={close}>
      <h3 className="mb-1 font-medium">Start one like it</h3>
      <Start run={run} />
      <h3 className="mt-3 mb-1 font-medium">Why does it wait</h3>
      <Code text={curl(`/v2/workflows/runs/${path}/why`)} />
      <h3 className="mt-3 mb-1 font-medium">Its log</h3>
      <Code
        text={curl(
          `/v2/workflows/messageLogs`,
          '-G',
          `-d ${quoted(`workflowRunId=${path}`)}`,
          '-d order=earliestFirst',
        )}
      />
      <h3 className="mt-3 mb-1 font-medium">Cancel it</h3>
      <Code text={curl(`/v2/workflows/runs/${path}`, '-X DELETE')} />
    </Dialog>
  );
}

/** Its payload is loaded when the dialog opens: the page has only the beginning of it. */
function Start({ run }: { readonly run: ShownRun }) {
  const curl = useCurl();
  const prefix = useHeaderPrefix();
  const { workflowRunId: id, workflowUrl } = run;
  const labels = labelsText(run);
  const query = useQuery({
    // Not of the kind `run`: it does not change.
    queryKey: ['payload', id],
    queryFn: async () => payloadOf(await loadWholeSteps(id)),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  return (
    <Loaded query={query} lines={2}>
      {(body) => (
        <Code
          text={curl(
            destinationPath('/v2/trigger/', workflowUrl),
            ...(labels === undefined ? [] : [`-H ${quoted(`${prefix}Label: ${labels}`)}`]),
            ...bodyWords({ body }, false),
          )}
        />
      )}
    </Loaded>
  );
}

function payloadOf([first]: ShownRun['steps']): string {
  return first === undefined || first.type === 'next' ? '' : (first.steps[0]?.out ?? '');
}
