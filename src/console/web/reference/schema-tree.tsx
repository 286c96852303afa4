/** A readable view of a schema: one line for each field. Named schemas are expanded in place. */
import { nameIn, type Schema } from './openapi.ts';
import { Prose } from './prose.tsx';

type Schemas = Readonly<Record<string, Schema>>;

/** The type of a schema, or its fields. */
export function SchemaTree({
  schema,
  schemas,
}: {
  readonly schema: Schema;
  readonly schemas: Schemas;
}) {
  const { shape, word } = unfolded(schema, schemas);
  if (shape.properties === undefined) {
    return <p className="font-mono text-xs text-muted">{word}</p>;
  }
  return <Fields of={shape} schemas={schemas} />;
}

function Fields({ of, schemas }: { readonly of: Schema; readonly schemas: Schemas }) {
  const required = new Set(of.required);
  return (
    <ul className="divide-y divide-line border-l-2 border-line">
      {Object.entries(of.properties ?? {}).map(([name, field]) => (
        <Field
          key={name}
          name={name}
          schema={field}
          isRequired={required.has(name)}
          schemas={schemas}
        />
      ))}
    </ul>
  );
}

function Field({
  name,
  schema,
  isRequired,
  schemas,
}: {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly schemas: Schemas;
}) {
  const { shape, word } = unfolded(schema, schemas);
  const head = (
    <>
      <span className="font-mono text-xs font-semibold">{name}</span>{' '}
      <span className="font-mono text-xs text-muted">
        {word}
        {isRequired ? '' : ', optional'}
      </span>
    </>
  );
  const text = schema.description ?? shape.description;
  return (
    <li className="px-3 py-1.5">
      {shape.properties === undefined ? (
        head
      ) : (
        <details>
          <summary className="cursor-pointer">{head}</summary>
          <div className="mt-1.5">
            <Fields of={shape} schemas={schemas} />
          </div>
        </details>
      )}
      {text !== undefined && <Prose text={text} />}
    </li>
  );
}

/** Resolves references and lists to the schema with fields; also returns its type in a word. */
function unfolded(schema: Schema, schemas: Schemas): { shape: Schema; word: string } {
  if (schema.$ref !== undefined) {
    const name = nameIn(schema.$ref);
    return { shape: schemas[name] ?? {}, word: name };
  }
  if (schema.items !== undefined) {
    const { shape, word } = unfolded(schema.items, schemas);
    return { shape, word: word.includes(' | ') ? `(${word})[]` : `${word}[]` };
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) {
    const all = choices.map((choice) => unfolded(choice, schemas));
    const shape = all.find((each) => each.shape.properties !== undefined)?.shape ?? schema;
    return { shape, word: all.map(({ word }) => word).join(' | ') };
  }
  return { shape: schema, word: wordOf(schema, schemas) };
}

function wordOf(schema: Schema, schemas: Schemas): string {
  const { type, format, minimum, maximum, additionalProperties } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  if (typeof additionalProperties === 'object') {
    return `{ [name]: ${unfolded(additionalProperties, schemas).word} }`;
  }
  const name = type === undefined ? 'any' : [type].flat().join(' | ');
  const limits = [
    ...(isLimit(minimum) ? [`>= ${minimum}`] : []),
    ...(isLimit(maximum) ? [`<= ${maximum}`] : []),
    ...(format === undefined ? [] : [format]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
  return [name, ...limits].join(', ');
}

/** The bounds of all safe integers are not worth showing. */
function isLimit(bound: number | undefined): boolean {
  return bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
}
