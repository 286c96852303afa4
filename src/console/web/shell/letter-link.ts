/** What the id of a dead letter leads to: the message or the run that has failed. */
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../api/client.ts';
import { type ConsoleLink, isLetterId } from './destinations.ts';

/** Nothing for another text, and for a letter that is retried or deleted. */
export function useLetterLink(typed: string): readonly ConsoleLink[] {
  const { data = [] } = useQuery({
    queryKey: ['dlq', 'letter', typed],
    queryFn: () => load(typed),
    enabled: isLetterId(typed),
  });
  return data;
}

async function load(dlqId: string): Promise<readonly ConsoleLink[]> {
  const params = { query: { dlqIds: [dlqId] } };
  const [letters, runs] = await Promise.all([
    ask(api.GET('/v2/dlq', { params })),
    ask(api.GET('/v2/workflows/dlq', { params })),
  ]);
  return [
    ...letters.messages.map(({ messageId }) => ({
      to: `/messages/${encodeURIComponent(messageId)}`,
      name: `The message ${messageId}`,
    })),
    ...runs.messages.map(({ workflowRunId }) => ({
      to: `/workflows/${encodeURIComponent(workflowRunId)}`,
      name: `The run ${workflowRunId}`,
    })),
  ];
}
