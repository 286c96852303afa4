/** One operation: a line, and when opened, everything that the document says about it. */
import { Link2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Code } from '../parts/code.tsx';
import { asCurl } from './as-curl.ts';
import type { Content, Operation, Parameter, Reference, Schema } from './openapi.ts';
import { SchemaTree } from './schema-tree.tsx';

type Schemas = Reference['schemas'];

const looks: Readonly<Record<string, string>> = {
  GET: 'bg-busy-tint text-busy',
  POST: 'bg-ok-tint text-ok',
  PUT: 'bg-wait-tint text-wait',
  PATCH: 'bg-wait-tint text-wait',
  DELETE: 'bg-bad-tint text-bad',
};

interface OperationProps {
  readonly operation: Operation;
  readonly schemas: Schemas;
  readonly token: string | null;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

export function OperationItem({ operation, schemas, token, isOpen, toggle }: OperationProps) {
  const { method, path, summary, operationId } = operation;
  const look = looks[method] ?? 'bg-idle-tint text-idle';
  return (
    <li id={operationId} className="scroll-mt-4">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={toggle}
        className="flex w-full flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-2 text-left hover:bg-raised"
      >
        <span
          className={`w-16 shrink-0 rounded text-center font-mono text-xs font-semibold ${look}`}
        >
          {method}
        </span>
        <span className="min-w-0 font-mono text-xs wrap-anywhere">{path}</span>
        <span className="min-w-0 text-muted wrap-anywhere md:ml-auto md:text-right">{summary}</span>
      </button>
      {isOpen && <Details operation={operation} schemas={schemas} token={token} />}
    </li>
  );
}

function Details({
  operation,
  schemas,
  token,
}: Pick<OperationProps, 'operation' | 'schemas' | 'token'>) {
  const { parameters = [], requestBody, responses, operationId } = operation;
  const places = ['path', 'query', 'header'] as const;
  return (
    <div className="grid gap-4 border-t border-line bg-ground px-3 py-3 lg:grid-cols-2">
      <div className="grid min-w-0 content-start gap-4">
        {places.map((place) => {
          const fields = parameters.filter((each) => each.in === place);
          if (fields.length === 0) return null;
          return (
            <Part key={place} title={`${titles[place]} parameters`}>
              <Parameters of={fields} schemas={schemas} />
            </Part>
          );
        })}
        {requestBody !== undefined && (
          <Part title={requestBody.required === true ? 'Body' : 'Body, optional'}>
            <ContentOf content={requestBody} schemas={schemas} />
          </Part>
        )}
        <Part title="Answers">
          <Answers of={responses} schemas={schemas} />
        </Part>
      </div>
      <div className="grid min-w-0 content-start gap-4">
        <Part title="As curl">
          <Code text={asCurl(operation, location.origin, token)} />
        </Part>
        <Examples of={responses} />
        <a href={`#${operationId}`} className="inline-flex items-center gap-1.5 text-accent">
          <Link2 className="size-3.5" aria-hidden="true" />
          Link to this
        </a>
      </div>
    </div>
  );
}

const titles = { path: 'Path', query: 'Query', header: 'Header' } as const;

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1 font-semibold">{title}</h3>
      {children}
    </section>
  );
}

/** Shows parameters like the fields of an object, although each is sent separately. */
function Parameters({
  of,
  schemas,
}: {
  readonly of: readonly Parameter[];
  readonly schemas: Schemas;
}) {
  const fields = of.map(({ name, description, schema }): [string, Schema] => [
    name,
    description === undefined ? schema : { ...schema, description },
  ]);
  const required = of.filter((each) => each.required).map(({ name }) => name);
  const schema: Schema = { properties: Object.fromEntries(fields), required };
  return <SchemaTree schema={schema} schemas={schemas} />;
}

function ContentOf({ content, schemas }: { readonly content: Content; readonly schemas: Schemas }) {
  const [type, media] = Object.entries(content.content ?? {})[0] ?? [];
  if (media?.schema !== undefined) return <SchemaTree schema={media.schema} schemas={schemas} />;
  return <p className="text-muted">{type === '*/*' ? 'Bytes of any kind' : (type ?? 'None')}</p>;
}

function Answers({
  of,
  schemas,
}: {
  readonly of: Operation['responses'];
  readonly schemas: Schemas;
}) {
  const described = Object.entries(of).filter(([status]) => status !== 'default');
  return (
    <ul className="grid gap-1.5">
      {described.map(([status, answer]) => (
        <li key={status}>
          <details open={status === '200'}>
            <summary className="cursor-pointer">
              <span className="font-mono text-xs font-semibold">{status}</span>{' '}
              <span className="text-muted">{answer.description}</span>
            </summary>
            <div className="mt-1">
              <ContentOf content={answer} schemas={schemas} />
            </div>
          </details>
        </li>
      ))}
    </ul>
  );
}

/** The examples of successful answers in the document. */
function Examples({ of }: { readonly of: Operation['responses'] }) {
  return Object.entries(of).flatMap(([status, { content = {} }]) =>
    Object.values(content)
      .filter(({ example }) => example !== undefined)
      .map(({ example }) => (
        <Part key={status} title={`An answer, ${status}`}>
          <Code text={JSON.stringify(example, null, 2)} />
        </Part>
      )),
  );
}
