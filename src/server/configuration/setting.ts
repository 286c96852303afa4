/** How a setting is declared: its variable, how the text is read, what holds without one. */
import { z } from 'zod';
import type { Result } from '../../grammar/result.js';

/** `standard` is in the words of the variable itself; null where the value is made elsewhere. */
export function setting<Value>(
  name: string,
  standard: string,
  read: (text: string) => Result<Value>,
) {
  return { variable: `STEPWELL_${name}`, schema: schemaOf(read), standard, isSecret: false };
}

/** One that may be left out: null then. */
export function optional<Value>(name: string, read: (text: string) => Result<Value>) {
  const schema = schemaOf(read).nullable();
  return { variable: `STEPWELL_${name}`, schema, standard: null, isSecret: false };
}

/** One whose value is never shown. */
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
