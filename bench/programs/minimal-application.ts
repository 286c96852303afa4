/** An application that does as little for its runs as the protocol allows. */
import { type DeliveryAnswer, steps, type WorkflowApplication } from './workflow-application.js';
import { RunRequests, readDelivery, workflowHeaders } from './workflow-protocol.js';

export function minimalApplication(server: string, endpoint: string): WorkflowApplication {
  const requests = new RunRequests(server, endpoint);
  return {
    start: (name) => requests.start(`wfr_${name}`, '{}'),
    async deliver(headers, body): Promise<DeliveryAnswer> {
      const { runId, done } = readDelivery(headers, body);
      const isEnd = done === steps;
      const next = done + 1;
      if (isEnd) await requests.end(runId);
      else
        await requests.step(runId, next, { stepName: `step-${next}`, stepType: 'Run', out: '1' });
      return { status: 200, headers: workflowHeaders, body: '', isEnd };
    },
  };
}
