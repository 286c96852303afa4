/** The answer of routes that have nothing to say but that they are done. */
import { z } from 'zod';
import { once } from '../grammar/once.js';

/** As sent. */
export const success = { result: 'Success', status: 200 };

/** As described. */
export const successSchema = once(() =>
  z.object({ result: z.literal('Success'), status: z.literal(200) }),
);
