/** How a setting is declared: its variable, how its text is read, and its default. */
import { z } from 'zod';
import type { Result } from '../../grammar/result.js';

/**
 * A setting with a default. `standard` is written as in the variable; null if the value is computed
 * elsewhere.
 */
export function setting<Value>(
  name: string,
  standard: string,
  read: (text: string) => Result<Value>,
) {
  return { variable: `STEPWELL_${name}`, schema: schemaOf(read), standard, isSecret: false };
}

/** A setting that may be left out; its value is null then. */
export function optional<Value>(name: string, read: (text: string) => Result<Value>) {
  const schema = schemaOf(read).nullable();
  return { variable: `STEPWELL_${name}`, schema, standard: null, isSecret: false };
}

/** A setting whose value is never shown. */
export function secret<Value>(name: string, read: (text: string) => Result<Value>) {
  return { ...optional(name, read), isSecret: true };
}

function schemaOf<Value>(read: (text: string) => Result<Value>) {
  return z.string().transform((text, context): Value => {
    const result = read(text);
    if (result.ok) return result.value;
    context.addIssue(result.message);
    return z.NEVER;
  });
}
