/** What routes answer when all is well, as an example beside each schema. Pure. */
import type { Json, JsonObject } from './json.js';
import { type Components, sampleOf } from './sample.js';

const jsonType = 'application/json';

/** The paths of a document, with an example of each JSON of a success. */
export function withAnswerExamples(
  paths: Readonly<Record<string, JsonObject>>,
  components: Components,
): Readonly<Record<string, JsonObject>> {
  return eachOf(paths, (operations) =>
    eachOf(operations, (operation) => {
      const { responses, ...others } = operation as JsonObject;
      const shown = Object.entries(responses as JsonObject).map(([status, answer]) => [
        status,
        status.startsWith('2') ? exemplified(answer as JsonObject, components) : (answer as Json),
      ]);
      return { ...others, responses: Object.fromEntries(shown) };
    }),
  );
}

function exemplified(answer: JsonObject, components: Components): JsonObject {
  const { [jsonType]: media, ...others } = (answer['content'] ?? {}) as JsonObject;
  const { schema } = (media ?? {}) as JsonObject;
  if (schema === undefined) return answer;
  const example = sampleOf(schema as JsonObject, components);
  if (example === undefined) return answer;
  return { ...answer, content: { ...others, [jsonType]: { schema, example } } };
}

function eachOf<Value, Made>(
  record: Readonly<Record<string, Value>>,
  make: (value: Value) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, make(value)]));
}
