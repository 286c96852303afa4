/** The same workflow as an application has it: the published client, in Node's own web server. */
import type { IncomingHttpHeaders } from 'node:http';
import { Client as MessageClient } from '@upstash/qstash';
import { Client } from '@upstash/workflow';
import { serve } from '@upstash/workflow/nextjs';
import { token } from '../measure/stepwell-server.js';
import { steps, type WorkflowApplication } from './workflow-application.js';

/** It asks nothing twice: an answer that it does not like is the end of the bench. */
export function publishedApplication(server: string, endpoint: string): WorkflowApplication {
  const options = { baseUrl: server, token, retry: false } as const;
  const client = new Client(options);
  const ended = new Set<string>();
  const workflow = serve(
    async (context) => {
      for (let step = 1; step <= steps; step += 1) await context.run(`step-${step}`, () => 1);
      ended.add(context.workflowRunId);
      return 'done';
    },
    { qstashClient: new MessageClient(options), env: {} },
  );
  return {
    async start(name) {
      await client.trigger({ url: endpoint, workflowRunId: name, body: {} });
    },
    async deliver(headers, body) {
      const response = await workflow.POST(
        new Request(endpoint, { method: 'POST', headers: fetchHeaders(headers), body }),
      );
      const { status } = response;
      const text = await response.text();
      if (status !== 200) throw new Error(`the published client answered ${status}: ${text}`);
      const isEnd = ended.delete(String(headers['upstash-workflow-runid']));
      return { status, headers: Object.fromEntries(response.headers), body: text, isEnd };
    },
  };
}

function fetchHeaders(headers: IncomingHttpHeaders): Headers {
  const fetched = new Headers();
  for (const [name, value] of Object.entries(headers)) fetched.set(name, String(value));
  return fetched;
}
