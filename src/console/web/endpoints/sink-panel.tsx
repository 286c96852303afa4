/** What the sink of a development server has received; nothing if there is no sink. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { headerText } from '../../../grammar/headers.js';
import { api, ask } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { Body } from '../bodies/body.tsx';
import { Action } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Facts } from '../parts/facts.tsx';
import { Panel } from '../parts/page.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { SinkButton } from '../publish/sink-button.tsx';
import { Time } from '../time/time.tsx';

const load = async () => (await ask(api.GET('/admin/sink'))).requests;
type Taken = Awaited<ReturnType<typeof load>>[number];

/** Messages fill the sink, so events of messages reload it. */
const key = ['message', 'sink'];

export function SinkPanel() {
  const { data } = useSession();
  return data?.hasSink === true ? <Requests /> : null;
}

function Requests() {
  const query = useQuery({ queryKey: key, queryFn: load });
  const clear = useChange(() => ask(api.DELETE('/admin/sink')), ['message']);
  const isEmpty = (query.data?.length ?? 0) === 0;
  return (
    <Panel
      title="Built-in sink"
      aside={
        <Action
          needs="admin"
          isSmall
          disabled={isEmpty || clear.isPending}
          onClick={() => clear.mutate(undefined)}
        >
          Clear
        </Action>
      }
    >
      <p className="border-b border-line px-3 py-2 text-muted">
        <code className="font-mono text-xs text-ink">{location.origin}/sink</code> takes any message
        of this development server and answers 200;{' '}
        <code className="font-mono text-xs">/sink/500</code> answers 500. The last 50 are kept in
        memory.
      </p>
      {clear.error !== null && <Failure error={clear.error} />}
      <Loaded query={query} lines={3}>
        {(requests) =>
          requests.length === 0 ? (
            <div className="px-3 pb-3 text-muted">
              <SinkButton sample="message" />
            </div>
          ) : (
            <ul className="divide-y divide-line" aria-label="Requests to the sink">
              {requests.map((request) => (
                <Request key={request.number} request={request} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Request({ request }: { readonly request: Taken }) {
  const { at, method, path, status, headers, body, bodyBytes } = request;
  return (
    <li>
      <details>
        <summary className="flex cursor-pointer flex-wrap items-baseline gap-x-3 px-3 py-1.5 hover:bg-raised">
          <span className="w-14 font-mono text-xs font-semibold">{method}</span>
          <span className="min-w-0 font-mono text-xs wrap-anywhere">{path}</span>
          <span className="text-muted">answered {status}</span>
          <span className="ml-auto text-muted">
            {bodyBytes} bytes, <Time at={at} />
          </span>
        </summary>
        <div className="border-t border-line px-3 py-2">
          {body !== '' && <Body text={body} />}
          <Facts
            of={headers.map(([name = '', value]): [string, ReactNode] => [
              name,
              headerText(value ?? ''),
            ])}
          />
        </div>
      </details>
    </li>
  );
}
