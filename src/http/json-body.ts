/** Reads JSON bodies of management requests and validates them against a schema. */
import type { z } from 'zod';
import { parseJson } from '../grammar/json.js';
import { ok, type Result, refused } from '../grammar/result.js';
import { fieldWords } from './field-words.js';

/**
 * The content of a body, validated by `schema`. The reason of a refusal names the first invalid
 * field: `endpoints[0].url: must be a string`; a strict schema refuses unknown fields.
 */
export function readJsonBody<Value>(body: Buffer, schema: z.ZodType<Value>): Result<Value> {
  const json = parseJson(body);
  if (!json.ok) return json;
  const result = schema.safeParse(json.value, { error: fieldWords });
  if (result.success) return ok(result.data);
  const [issue] = result.error.issues;
  return refused(issue === undefined ? 'the body is wrong' : sentence(closest(issue)));
}

/** For a choice of schemas: what is wrong under the schema that the body most likely meant. */
function closest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const firsts = issue.errors.flatMap(([first]) => first ?? []);
  const kinds = kindsIn(firsts);
  if (kinds !== null) return { ...issue, message: kinds };
  const found = firsts.find(({ path }) => path.length > 0) ?? firsts[0];
  return found === undefined ? issue : closest({ ...found, path: [...issue.path, ...found.path] });
}

/** `must be a string or a number`, if every issue names the expected type; else null. */
function kindsIn(issues: readonly z.core.$ZodIssue[]): string | null {
  const words = 'must be ';
  const isKind = ({ code, path, message }: z.core.$ZodIssue) =>
    code === 'invalid_type' && path.length === 0 && message.startsWith(words);
  if (issues.length === 0 || !issues.every(isKind)) return null;
  const kinds = issues.map(({ message }) => message.slice(words.length));
  return words + [...new Set(kinds)].join(' or ');
}

function sentence({ path, message, code }: z.core.$ZodIssue): string {
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  // Unknown fields and custom rules of a schema have complete sentences already.
  const isWhole = code === 'unrecognized_keys' || code === 'custom';
  if (place.length === 0) return isWhole ? message : `the body ${message}`;
  return `${place.join('').replace(/^\./, '')}: ${message}`;
}
