/** JSON bodies of management requests: read, then held against a schema. */
import type { z } from 'zod';
import { parseJson } from '../grammar/json.js';
import { ok, type Result, refused } from '../grammar/result.js';

/**
 * What a body says under `schema`. The reason of a refusal names the first field that is wrong:
 * `endpoints[0].url: ...`; a strict schema refuses an unknown field.
 */
export function readJsonBody<Value>(body: Buffer, schema: z.ZodType<Value>): Result<Value> {
  const json = parseJson(body);
  if (!json.ok) return json;
  const result = schema.safeParse(json.value);
  if (result.success) return ok(result.data);
  const [issue] = result.error.issues;
  return refused(issue === undefined ? 'the body is wrong' : sentence(closest(issue)));
}

/** Of a choice of schemas, what is wrong under the one that the body was meant for. */
function closest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const firsts = issue.errors.flatMap(([first]) => first ?? []);
  const found = firsts.find(({ path }) => path.length > 0) ?? firsts[0];
  return found === undefined ? issue : closest({ ...found, path: [...issue.path, ...found.path] });
}

function sentence({ path, message }: z.core.$ZodIssue): string {
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return place.length === 0 ? message : `${place.join('').replace(/^\./, '')}: ${message}`;
}
