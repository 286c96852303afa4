import { z } from 'zod';
import { readJsonBody } from '../../src/http/json-body.js';

const schema = z.strictObject({
  text: z.string().min(2).max(3),
  number: z.int().min(0).optional(),
  rate: z.number().max(1).optional(),
  flag: z.boolean().optional(),
  word: z.enum(['one', 'two']).optional(),
  only: z.literal('x').optional(),
  items: z
    .array(z.object({ url: z.string() }))
    .min(1)
    .max(2)
    .optional(),
  headers: z.record(z.string(), z.string()).optional(),
  either: z.union([z.string(), z.number()]).optional(),
  name: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
});

const valid = { text: 'abc' };

it.each([
  [5, 'the body must be an object'],
  [null, 'the body must be an object'],
  [{}, 'text: is missing'],
  [{ ...valid, zzz: 1 }, 'there is no field "zzz"'],
  [{ text: null }, 'text: must be a string'],
  [{ text: 'a' }, 'text: must have at least 2 characters'],
  [{ text: 'abcd' }, 'text: must have at most 3 characters'],
  [{ ...valid, number: 'x' }, 'number: must be a number'],
  [{ ...valid, number: 1.5 }, 'number: must be a whole number'],
  [{ ...valid, number: -1 }, 'number: must be at least 0'],
  [{ ...valid, rate: 2 }, 'rate: must be at most 1'],
  [{ ...valid, flag: 'yes' }, 'flag: must be true or false'],
  [{ ...valid, word: 'three' }, 'word: must be one of "one", "two"'],
  [{ ...valid, only: 5 }, 'only: must be "x"'],
  [{ ...valid, items: {} }, 'items: must be an array'],
  [{ ...valid, items: [] }, 'items: must have at least 1 item'],
  [{ ...valid, items: [1, 2, 3] }, 'items: must have at most 2 items'],
  [{ ...valid, items: [{}] }, 'items[0].url: is missing'],
  [{ ...valid, headers: [] }, 'headers: must be an object'],
  [{ ...valid, headers: { a: 5 } }, 'headers.a: must be a string'],
  [{ ...valid, either: true }, 'either: must be a string or a number'],
  [{ ...valid, name: 'A' }, 'name: has an invalid format'],
])('%j is refused with its own text: %s', (body, said) => {
  const read = readJsonBody(Buffer.from(JSON.stringify(body)), schema);
  expect(read.ok ? 'taken' : read.message).toBe(said);
});
