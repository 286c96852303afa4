/** Describes what is wrong with a field, in the style of all other refusals. Pure. */
import type { z } from 'zod';

/** By the names that schemas use for the expected type. */
const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
};

/**
 * The rest of a sentence that begins with the name of the field: `must be a string`. Undefined if
 * the schema refused with a text of its own.
 */
export function fieldWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : mustBe(kinds[issue.expected]);
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : mustBe(oneOf(issue.values));
    case 'invalid_union':
      return issue.input === undefined ? 'is missing' : 'has none of the allowed forms';
    case 'too_small':
      return bounded(issue.origin, 'at least', issue.minimum);
    case 'too_big':
      return bounded(issue.origin, 'at most', issue.maximum);
    case 'unrecognized_keys':
      return `there is no field ${JSON.stringify(issue.keys[0])}`;
    case 'custom':
      return undefined;
    default:
      return 'has an invalid format';
  }
}

const mustBe = (kind: string | undefined) => `must be ${kind ?? 'of another kind'}`;

function oneOf(values: readonly unknown[]): string {
  const all = values.map((value) => JSON.stringify(value));
  return all.length === 1 ? String(all[0]) : `one of ${all.join(', ')}`;
}

/** Describes a limit: of the length of a text, the items of an array, or the value of a number. */
function bounded(origin: string, bound: string, most: number | bigint): string {
  const unit = units[origin];
  if (unit === undefined) return `must be ${bound} ${most}`;
  return `must have ${bound} ${most} ${unit[most === 1 ? 0 : 1]}`;
}
