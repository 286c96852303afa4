/** Adds an example to the schema of each successful answer. Pure. */
import { fieldsOf, isObject, type JsonObject } from './json.js';
import { type Components, sampleOf } from './sample.js';

const jsonType = 'application/json';

/** The paths of a document, with an example for the JSON of each successful answer. */
export function withAnswerExamples(
  paths: Readonly<Record<string, JsonObject>>,
  components: Components,
): Readonly<Record<string, JsonObject>> {
  return eachOf(paths, (operations) =>
    eachOf(operations, (operation) => {
      const { responses, ...others } = fieldsOf(operation);
      const shown = Object.entries(fieldsOf(responses)).map(([status, answer]) => [
        status,
        status.startsWith('2') ? exemplified(fieldsOf(answer), components) : answer,
      ]);
      return { ...others, responses: Object.fromEntries(shown) };
    }),
  );
}

function exemplified(answer: JsonObject, components: Components): JsonObject {
  const { [jsonType]: media, ...others } = fieldsOf(answer['content']);
  const { schema } = fieldsOf(media);
  if (!isObject(schema)) return answer;
  const example = sampleOf(schema, components);
  if (example === undefined) return answer;
  return { ...answer, content: { ...others, [jsonType]: { schema, example } } };
}

function eachOf<Value, Made>(
  record: Readonly<Record<string, Value>>,
  make: (value: Value) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, make(value)]));
}
