/** `/docs`: the API of this server, to search and read. It needs no session. */
import { useEffect, useState } from 'react';
import { useSession } from '../api/session.ts';
import { Page, Panel } from '../parts/page.tsx';
import { Pill } from '../parts/pill.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { found, type Reference, useReference } from './openapi.ts';
import { OperationItem } from './operation.tsx';
import { Prose } from './prose.tsx';

export function ReferencePage() {
  const reference = useReference();
  return (
    <Page
      title="API"
      actions={
        <>
          <a href="/console" className={linkClasses}>
            Console
          </a>
          <a href="/openapi.json" className={linkClasses}>
            openapi.json
          </a>
        </>
      }
    >
      <Loaded query={reference} lines={12}>
        {(loaded) => <Routes reference={loaded} />}
      </Loaded>
    </Page>
  );
}

const linkClasses = 'rounded-md px-2 py-1 text-accent hover:bg-raised';

/** The state in the address: a search, and after `#` the operation that is open. */
function useAddress() {
  const [search, setSearch] = useState(
    () => new URLSearchParams(location.search).get('search') ?? '',
  );
  const [open, setOpen] = useState(() => location.hash.slice(1));
  useEffect(() => {
    const follow = () => setOpen(location.hash.slice(1));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    const query = search === '' ? '' : `?${new URLSearchParams({ search })}`;
    history.replaceState(null, '', `/docs${query}${open === '' ? '' : `#${open}`}`);
  }, [search, open]);
  return { search, setSearch, open, setOpen };
}

function Routes({ reference }: { readonly reference: Reference }) {
  const { search, setSearch, open, setOpen } = useAddress();
  const [tag, setTag] = useState<string | null>(null);
  const token = useSession().data?.token ?? null;
  const { tags, operations, schemas, version, introduction } = reference;
  const matching = found(operations, search);
  useEffect(() => {
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
  const shown = tags
    .filter(({ name }) => tag === null || name === tag)
    .map((each) => ({ ...each, routes: matching.filter(({ tags: [of] }) => of === each.name) }))
    .filter(({ routes }) => routes.length > 0);
  return (
    <>
      <Prose text={introduction} />
      <p className="mt-2 mb-3 text-xs text-muted">
        Version {version}, {operations.length} routes
      </p>
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <input
          type="search"
          aria-label="Search routes"
          placeholder="Search: retry, /v2/dlq, Svc-Delay"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          className="h-8 w-full rounded-md border border-control bg-surface px-2 placeholder:text-muted sm:w-80"
        />
        {tags.map(({ name }) => (
          <Pill key={name} isChosen={tag === name} press={() => setTag(tag === name ? null : name)}>
            {name}
          </Pill>
        ))}
      </div>
      {shown.map(({ name, description, routes }) => (
        <Panel key={name} title={name} aside={<span>{routes.length}</span>}>
          <div className="border-b border-line px-3 py-2">
            <Prose text={description} />
          </div>
          <ul className="divide-y divide-line">
            {routes.map((operation) => (
              <OperationItem
                key={operation.operationId}
                operation={operation}
                schemas={schemas}
                token={token}
                isOpen={open === operation.operationId}
                toggle={() => setOpen(open === operation.operationId ? '' : operation.operationId)}
              />
            ))}
          </ul>
        </Panel>
      ))}
      {shown.length === 0 && <Empty title="No route matches these words" />}
    </>
  );
}
