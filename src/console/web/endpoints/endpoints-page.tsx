/** Where deliveries go: origins, and URL groups, which are names for several destinations. */
import { useQuery } from '@tanstack/react-query';
import { Plus, Radar } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { api, ask } from '../api/client.ts';
import { DangerAction } from '../asking/danger-action.tsx';
import { Action } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea, TextField } from '../parts/field.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Empty, Failure, Loaded, useCurl } from '../parts/states.tsx';
import { noDraft, PublishDialog } from '../publish/publish-dialog.tsx';
import { OriginTable, useOrigins } from './origins.tsx';
import { ReachDialog } from './reach-dialog.tsx';
import { SinkPanel } from './sink-panel.tsx';

const loadGroups = () => ask(api.GET('/v2/topics'));
type Group = Awaited<ReturnType<typeof loadGroups>>[number];

const kinds = ['group'];

export default function EndpointsPage() {
  const groups = useQuery({ queryKey: kinds, queryFn: loadGroups });
  const [isAdding, setAdding] = useState(false);
  const [isReaching, setReaching] = useState(false);
  const curl = useCurl();
  return (
    <Page
      title="Endpoints"
      actions={
        <>
          <Action
            needs="admin"
            icon={<Radar className="size-4" />}
            onClick={() => setReaching(true)}
          >
            Test a URL…
          </Action>
          <Action look="main" icon={<Plus className="size-4" />} onClick={() => setAdding(true)}>
            Add endpoints
          </Action>
        </>
      }
    >
      <Origins />
      <SinkPanel />
      <Loaded query={groups}>
        {(rows) =>
          rows.length === 0 ? (
            <Panel>
              <Empty
                title="No URL groups yet"
                command={curl(
                  '/v2/topics/orders/endpoints',
                  '-H "Content-Type: application/json"',
                  `-d '{"endpoints":[{"url":"https://example.com/"}]}'`,
                )}
              >
                A message to a URL group goes to each of its endpoints, with separate retries.
              </Empty>
            </Panel>
          ) : (
            rows.map((group) => <GroupPanel key={group.name} group={group} />)
          )
        }
      </Loaded>
      {isReaching && <ReachDialog close={() => setReaching(false)} />}
      {isAdding && <AddDialog close={() => setAdding(false)} />}
    </Page>
  );
}

/** The origins that were called since the server started. */
function Origins() {
  const query = useOrigins();
  return (
    <Panel title="Origins" aside="of the last 24 hours">
      <Loaded query={query} lines={3}>
        {(origins) =>
          origins.length === 0 ? (
            <p className="p-3 text-muted">No destination was called since the server started.</p>
          ) : (
            <OriginTable origins={origins} label="Origins" />
          )
        }
      </Loaded>
    </Panel>
  );
}

function GroupPanel({ group: { name, endpoints } }: { readonly group: Group }) {
  const [isTesting, setTesting] = useState(false);
  const params = { path: { name } };
  return (
    <Panel
      title={name}
      aside={
        <span className="flex gap-2">
          <Action onClick={() => setTesting(true)}>Test event…</Action>
          <DangerAction
            question={`Delete the group ${name}?`}
            means="Messages that it has got continue; further ones to it are refused."
            confirm="Delete"
            act={() => ask(api.DELETE('/v2/topics/{name}', { params }))}
            kinds={kinds}
          >
            Delete group…
          </DangerAction>
        </span>
      }
    >
      {endpoints.map(({ url, name: alias }) => (
        <div
          key={url}
          className="flex items-center gap-3 border-b border-line px-3 py-1.5 last:border-0"
        >
          <span className="min-w-0 flex-1 truncate" title={url}>
            {url}
          </span>
          <span className="max-w-2/5 truncate text-muted" title={alias}>
            {alias}
          </span>
          <DangerAction
            aria-label={`Remove ${url}`}
            question={`Remove ${url} from the group ${name}?`}
            means="Messages that it has got continue; further ones to the group do not go there."
            confirm="Remove"
            act={() => {
              const body = { endpoints: [{ url }] };
              return ask(api.DELETE('/v2/topics/{name}/endpoints', { params, body }));
            }}
            kinds={kinds}
          >
            Remove…
          </DangerAction>
        </div>
      ))}
      {isTesting && (
        <PublishDialog
          draft={{ ...noDraft, destination: name, body: '{"test":true}' }}
          close={() => setTesting(false)}
          published={() => setTesting(false)}
        />
      )}
    </Panel>
  );
}

function AddDialog({ close }: { readonly close: () => void }) {
  const add = useChange(
    ({ name, urls }: { readonly name: string; readonly urls: readonly string[] }) =>
      ask(
        api.POST('/v2/topics/{name}/endpoints', {
          params: { path: { name } },
          body: { endpoints: urls.map((url) => ({ url })) },
        }),
      ),
    kinds,
    close,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const urls = String(fields.get('urls')).split('\n');
    add.mutate({
      name: String(fields.get('name')).trim(),
      urls: urls.map((url) => url.trim()).filter((url) => url !== ''),
    });
  };
  return (
    <Dialog title="Add endpoints to a URL group" close={close}>
      <form onSubmit={submit}>
        <TextField label="Group" hint="created if it does not exist" name="name" required />
        <TextArea label="URLs" hint="one per line" name="urls" required />
        {add.error !== null && <Failure error={add.error} />}
        <Action type="submit" look="main" disabled={add.isPending}>
          Add
        </Action>
      </form>
    </Dialog>
  );
}
