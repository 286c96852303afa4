/** A server that speaks the published client's dialect, and an application beside it. */
import { startServer, type TestServer } from '../support/server.js';
import { WorkflowApp, type Workflows } from '../support/workflows/workflow-app.js';

interface LoggedStep {
  readonly stepName?: string;
  readonly state?: string;
}

export interface WorkflowStage {
  readonly server: TestServer;
  readonly app: WorkflowApp;
  /** Until all calls are answered, and long enough for what would wrongly come next. */
  quiet(): Promise<void>;
  /** Until the log of a run has the results of these steps. */
  logged(runId: string, ...stepNames: readonly string[]): Promise<void>;
  /** Ends both and removes the server's folder. */
  end(): Promise<void>;
}

export async function startWorkflowStage(workflows: Workflows): Promise<WorkflowStage> {
  const server = await startServer({ environment: { STEPWELL_DIALECT: 'upstash' } });
  const app = await WorkflowApp.start(server, workflows);
  return {
    server,
    app,
    async quiet() {
      do await new Promise((resolve) => setTimeout(resolve, 100));
      while (app.openCalls > 0);
    },
    async logged(runId, ...stepNames) {
      for (;;) {
        const { runs } = await app.client.logs({ workflowRunId: runId });
        const steps = runs
          .flatMap((run) => run.steps)
          .flatMap((group): LoggedStep[] => group.steps);
        const isLogged = (stepName: string) =>
          steps.some((step) => step.stepName === stepName && step.state === 'STEP_SUCCESS');
        if (stepNames.every(isLogged)) return;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    end: async () => {
      await server.remove();
      await app.stop();
    },
  };
}
