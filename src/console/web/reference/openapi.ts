/** The parts of this server's OpenAPI document that the reference shows. */
import { useQuery } from '@tanstack/react-query';
import { ApiError, watchedFetch } from '../api/client.ts';

/** A JSON Schema, as in the document. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A parameter of an operation, as in OpenAPI. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}

/** A body, or an answer. */
export interface Content {
  readonly $ref?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, Media>>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly [string];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
  readonly security: readonly Readonly<Record<string, unknown>>[];
}

/** An operation with its path and method. */
export interface Operation extends DescribedOperation {
  readonly method: string;
  readonly path: string;
  /** The text that a search looks at, in lower case. */
  readonly words: string;
}

/** The parts of the document that the page shows. */
export interface Reference {
  readonly version: string;
  readonly introduction: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Schema>>;
}

interface OpenapiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: Reference['tags'];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Reference['schemas'] };
}

/** The document does not change while the server runs. */
export function useReference() {
  return useQuery({
    queryKey: ['openapi'],
    queryFn: load,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
}

async function load(): Promise<Reference> {
  const request = new Request(new URL('/openapi.json', location.origin));
  const response = await watchedFetch(request).catch(() => {
    throw new ApiError(0, 'the server does not answer');
  });
  if (!response.ok) throw new ApiError(response.status, 'the description of the API is not there');
  const document: OpenapiDocument = await response.json();
  return referenceOf(document);
}

function referenceOf({ info, tags, paths, components }: OpenapiDocument): Reference {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      path,
      method: method.toUpperCase(),
      words: wordsOf(method, path, described),
    })),
  );
  const { version, description: introduction } = info;
  return { version, introduction, tags, operations, schemas: components.schemas };
}

function wordsOf(method: string, path: string, described: DescribedOperation): string {
  const { summary, parameters = [] } = described;
  const names = parameters.map(({ name, description = '' }) => `${name} ${description}`);
  return [method, path, summary, ...names].join(' ').toLowerCase();
}

/** The operations that contain each word of a search. */
export function found(operations: readonly Operation[], search: string): readonly Operation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((operation) => words.every((word) => operation.words.includes(word)));
}

/** `#/components/schemas/Job` becomes `Job`. */
export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
