/** One message: why it waits, its life, its attempts, its callbacks, what was asked for. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Ban, Send } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Body, Code } from '../parts/code.tsx';
import { Facts } from '../parts/facts.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { PublishDialog } from '../parts/publish-dialog.tsx';
import { State, StateBadge } from '../parts/state-mark.tsx';
import { Failure, Loaded, useCurl, useHeaderPrefix } from '../parts/states.tsx';
import { Why } from '../parts/why.tsx';
import { exact } from '../time/format.ts';
import { Time } from '../time/time.tsx';
import { curlWords, optionsOf, pathOf } from './as-curl.ts';
import { Attempts } from './attempts.tsx';

const loadMessage = (id: string) =>
  ask(api.GET('/v2/messages/{id}', { params: { path: { id }, query: { final: 'true' } } }));
type Message = Awaited<ReturnType<typeof loadMessage>>;

const ended = ['DELIVERED', 'FAILED', 'CANCELED'];
/** More rows than any message has that people look at. */
const rowsMax = 1000;

export default function MessagePage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const query = useQuery({
    queryKey: ['message', id],
    queryFn: () => loadMessage(id),
  });
  const { data } = query;
  return (
    <Page
      title={data === undefined ? id : `${data.method} ${data.url}`}
      trail={
        <>
          <Link to="/messages" className="hover:underline">
            Messages
          </Link>{' '}
          / <span className="font-mono text-xs">{id}</span>
        </>
      }
      badge={data !== undefined && <StateBadge of={data.state} />}
      actions={data !== undefined && <Actions message={data} />}
    >
      <Loaded query={query}>{(message) => <Details message={message} />}</Loaded>
    </Page>
  );
}

function Actions({ message }: { readonly message: Message }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const prefix = useHeaderPrefix();
  const { messageId: id } = message;
  const cancel = useChange(
    () => ask(api.DELETE('/v2/messages/{id}', { params: { path: { id } } })),
    ['message'],
  );
  const draft = {
    destination: message.url,
    queue: message.queueName ?? '',
    body: message.body ?? '',
    headers: [...optionsOf(message, prefix)].map((option) => option.join(': ')).join('\n'),
  };
  return (
    <>
      {cancel.error !== null && <Failure error={cancel.error} />}
      {!ended.includes(message.state) && (
        <Action
          look="danger"
          icon={<Ban className="size-4" />}
          disabled={cancel.isPending}
          onClick={() => cancel.mutate(undefined)}
        >
          Cancel
        </Action>
      )}
      <Action icon={<Send className="size-4" />} onClick={() => setOpen(true)}>
        Resend…
      </Action>
      {isOpen && (
        <PublishDialog
          draft={draft}
          close={() => setOpen(false)}
          published={(sent) => {
            setOpen(false);
            navigate({ to: `/messages/${sent}` });
          }}
        />
      )}
    </>
  );
}

function Details({ message }: { readonly message: Message }) {
  const { messageId: id } = message;
  const why = useQuery({
    queryKey: ['message', id, 'why'],
    queryFn: () => ask(api.GET('/v2/messages/{id}/why', { params: { path: { id } } })),
    // What has left memory waits for nothing any more.
    enabled: !ended.includes(message.state),
  });
  const rows = useQuery({
    queryKey: ['message', id, 'log'],
    queryFn: () =>
      ask(
        api.GET('/v2/logs', {
          params: { query: { messageId: [id], order: 'earliestFirst', count: rowsMax } },
        }),
      ),
  });
  return (
    <>
      {why.data !== undefined && !ended.includes(message.state) && <Why why={why.data} />}
      <Loaded query={rows}>{({ logs }) => <Attempts rows={logs} />}</Loaded>
      <Callbacks id={id} />
      <Request message={message} />
    </>
  );
}

/** Messages that this one has caused. */
function Callbacks({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ['message', id, 'callbacks'],
    queryFn: () => ask(api.GET('/v2/logs', { params: { query: { sourceMessageId: [id] } } })),
  });
  const latest = new Map(data?.logs.toReversed().map((row) => [row.messageId, row]));
  if (latest.size === 0) return null;
  return (
    <Panel title="Callbacks" aside={latest.size}>
      {[...latest.values()].map(({ messageId, state, url, time }) => (
        <div key={messageId} className="flex gap-4 border-b border-line px-3 py-2 last:border-0">
          <State of={state} />
          <Link
            to="/messages/$id"
            params={{ id: messageId }}
            className="min-w-0 flex-1 truncate text-accent hover:underline"
          >
            {url}
          </Link>
          <Time at={time} />
        </div>
      ))}
    </Panel>
  );
}

function Request({ message }: { readonly message: Message }) {
  const curl = useCurl();
  const prefix = useHeaderPrefix();
  const { createdAt, notBefore, label, labels = [], callback, failureCallback } = message;
  return (
    <Panel title="Request">
      <Facts
        of={{
          Published: (
            <>
              {exact(createdAt)} (<Time at={createdAt} />)
            </>
          ),
          'Not before': notBefore > createdAt ? exact(notBefore) : undefined,
          Retries: message.maxRetries,
          Labels: label === undefined ? undefined : [...new Set([label, ...labels])].join(', '),
          Queue: message.queueName,
          'URL group': message.topicName,
          Schedule: message.scheduleId,
          'Flow-control key': message.flowControlKey,
          Callback: callback,
          'Failure callback': failureCallback,
          'Caller address': message.callerIp,
          'Dead letter': message.dlqId,
        }}
      />
      <div className="grid gap-3 p-3 pt-0">
        {message.body !== undefined && message.body !== '' && <Body text={message.body} />}
        <Code text={curl(pathOf(message), ...curlWords(message, prefix))} />
      </div>
    </Panel>
  );
}
